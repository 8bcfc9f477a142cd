import { LitElement, html, css } from 'lit';
import { observeState } from 'lit-element-state';
import { themeState } from 'theme-state';

/** Shows the page of administration, in the theme of the Dev UI. */
export class QwcRateLimitAdministration extends observeState(LitElement) {

    static styles = css`
        :host, iframe {
            display: block;
            width: 100%;
            height: 100%;
            border: 0;
        }
    `;

    render() {
        const root = location.pathname.split('/dev-ui/')[0];
        this._theme = themeState.theme.name;
        return html`<iframe title="Administration of rate limits" src="${root}/rate-limit/" @load=${this._applyTheme}></iframe>`;
    }

    updated() {
        this._applyTheme();
    }

    _applyTheme() {
        const page = this.shadowRoot.querySelector('iframe').contentDocument;
        if (page?.documentElement) {
            page.documentElement.style.colorScheme = this._theme;
        }
    }
}
customElements.define('qwc-rate-limit-administration', QwcRateLimitAdministration);
