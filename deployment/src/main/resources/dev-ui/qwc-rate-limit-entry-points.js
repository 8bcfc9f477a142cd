import { QwcHotReloadElement, html } from 'qwc-hot-reload-element';
import { JsonRpc } from 'jsonrpc';
import { styles } from './rate-limit-styles.js';

/** Shows everything that is limited: methods, routes, and code with an injected limiter. */
export class QwcRateLimitEntryPoints extends QwcHotReloadElement {

    static styles = styles;

    static properties = {
        _entryPoints: { state: true }
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
        this._rpc.entryPoints().then(reply => this._entryPoints = reply.result);
    }

    render() {
        if (!this._entryPoints) {
            return html`<p class="hint">Loading…</p>`;
        }
        const code = text => html`<code>${text}</code>`;
        return html`
            ${this._table('methods', 'Limited methods', 'No method has @RateLimited.',
                    ['Method', 'Policies', 'Cost', 'Key', 'Enforced by'],
                    this._entryPoints.methods.map(m => [code(m.method), m.policies, m.cost, m.key, m.enforcedBy]))}
            ${this._table('routes', 'Routes', 'No route is configured under quarkus.rate-limit.routes.',
                    ['Route', 'Paths', 'Methods', 'Policy'],
                    this._entryPoints.routes.map(r => [r.name, code(r.paths), r.methods, r.policy]))}
            ${this._table('limiters', 'Injected limiters', 'No limiter is injected with @RateLimitPolicy.',
                    ['Location', 'Policy'],
                    this._entryPoints.limiters.map(l => [code(l.place), l.policy]))}`;
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
customElements.define('qwc-rate-limit-entry-points', QwcRateLimitEntryPoints);
