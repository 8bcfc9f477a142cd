import { QwcHotReloadElement, html } from 'qwc-hot-reload-element';
import { JsonRpc } from 'jsonrpc';
import { styles } from './rate-limit-styles.js';

/** Shows everything that is limited: guarded methods, routes, and code that has a limiter injected. */
export class QwcRateLimitPlaces extends QwcHotReloadElement {

    static styles = styles;

    static properties = {
        _places: { state: true }
    };

    constructor() {
        super();
        this._rpc = new JsonRpc(this);
    }

    connectedCallback() {
        super.connectedCallback();
        this.hotReload();
    }

    hotReload() {
        this._rpc.places().then(answer => this._places = answer.result);
    }

    render() {
        if (!this._places) {
            return html`<p class="hint">Loading…</p>`;
        }
        const code = text => html`<code>${text}</code>`;
        return html`
            ${this._table('methods', 'Guarded methods', 'No method has @RateLimited.',
                    ['Method', 'Policies', 'Cost', 'Key', 'Enforced by'],
                    this._places.methods.map(m => [code(m.method), m.policies, m.cost, m.key, m.enforced]))}
            ${this._table('routes', 'Routes', 'No path is limited by quarkus.rate-limit.routes.',
                    ['Route', 'Paths', 'Methods', 'Policy'],
                    this._places.routes.map(r => [r.name, code(r.paths), r.methods, r.policy]))}
            ${this._table('limiters', 'Injected limiters', 'No code has a limiter injected with @RateLimitPolicy.',
                    ['Place', 'Policy'],
                    this._places.limiters.map(l => [code(l.place), l.policy]))}`;
    }

    _table(id, title, empty, headers, rows) {
        return html`
            <h3 id="${id}-title">${title}</h3>
            ${rows.length === 0 ? html`<p class="hint">${empty}</p>` : html`
                <table id=${id} aria-labelledby="${id}-title">
                    <thead><tr>${headers.map(header => html`<th>${header}</th>`)}</tr></thead>
                    <tbody>${rows.map(row => html`<tr>${row.map(cell => html`<td>${cell}</td>`)}</tr>`)}</tbody>
                </table>`}`;
    }
}
customElements.define('qwc-rate-limit-places', QwcRateLimitPlaces);
