import { QwcHotReloadElement, html, css } from 'qwc-hot-reload-element';
import { JsonRpc } from 'jsonrpc';
import '@vaadin/button';
import { styles } from './rate-limit-styles.js';

/** Shows each policy, where its properties come from, and its overrides. */
export class QwcRateLimitPolicies extends QwcHotReloadElement {

    static styles = [styles, css`
        details {
            border: 1px solid var(--lumo-contrast-20pct);
            border-radius: 6px;
            margin-bottom: 12px;
            padding: 0 14px;
        }
        details[open] {
            padding-bottom: 12px;
        }
        summary {
            cursor: pointer;
            padding: 10px 0;
        }
        summary b {
            margin-right: 10px;
        }
        table {
            table-layout: fixed;
        }
        .state {
            border: 1px solid currentColor;
            border-radius: 9px;
            font-size: var(--lumo-font-size-xs);
            margin-left: 8px;
            padding: 1px 8px;
        }
    `];

    static properties = {
        _policies: { state: true }
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
        this._rpc.policies().then(reply => this._policies = reply.result);
    }

    render() {
        if (!this._policies) {
            return html`<p class="hint">Loading…</p>`;
        }
        if (this._policies.length === 0) {
            return html`<p>No policy is configured. Add <code>quarkus.rate-limit.policies.&lt;policy&gt;.permits</code> and
                <code>.period</code>.</p>`;
        }
        return html`
            <div class="bar">
                <vaadin-button theme="small" @click=${this.hotReload}>Refresh</vaadin-button>
                <span class="hint">Overrides are as of the time when this page was loaded.</span>
            </div>
            ${this._policies.map(policy => this._policy(policy))}`;
    }

    _policy(policy) {
        return html`
            <details id="policy-${policy.name}" ?open=${this._policies.length < 4}>
                <summary>
                    <b>${policy.name}</b> ${policy.limits.map(limit => limit.definition).join(' and ')}
                    ${policy.enabled ? '' : html`<span class="state bad">off</span>`}
                    ${policy.shadow ? html`<span class="state">shadow</span>` : ''}
                    ${policy.overrides.length ? html`<span class="state good">overridden</span>` : ''}
                </summary>
                ${policy.overrides.length ? this._overrides(policy) : ''}
                <table>
                    <caption>Properties under <code>quarkus.rate-limit.policies.${policy.name}.</code></caption>
                    <thead><tr><th>Property</th><th>Value</th><th>From</th></tr></thead>
                    <tbody>${policy.settings.map(setting => html`
                        <tr>
                            <td><code>${setting.property}</code></td>
                            <td>${setting.value}</td>
                            <td class=${setting.origin === 'default' ? 'hint' : ''}>${setting.origin}</td>
                        </tr>`)}
                    </tbody>
                </table>
            </details>`;
    }

    _overrides(policy) {
        return html`
            <table class="overrides">
                <caption>Overrides</caption>
                <thead><tr><th>Stored key</th><th>Limit</th><th>Definition</th><th>Ends in</th></tr></thead>
                <tbody>${policy.overrides.map(override => html`
                    <tr>
                        <td>${override.key ? html`<code>${override.key}</code>` : 'all callers'}</td>
                        <td>${override.limit}</td>
                        <td>${override.definition}</td>
                        <td>${override.timeLeft || 'when removed'}</td>
                    </tr>`)}
                </tbody>
            </table>
            ${policy.moreOverrides ? html`<p class="hint">And ${policy.moreOverrides} more overrides.</p>` : ''}`;
    }
}
customElements.define('qwc-rate-limit-policies', QwcRateLimitPolicies);
