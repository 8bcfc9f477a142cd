import { QwcHotReloadElement, html } from 'qwc-hot-reload-element';
import { JsonRpc } from 'jsonrpc';
import { styles } from './rate-limit-styles.js';
import { table } from './rate-limit-table.js';

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
            ${this._section('Limited methods', 'No method has @RateLimited.',
                    ['Method', 'Policies', 'Cost', 'Key', 'Enforced by'],
                    this._entryPoints.methods.map(m => [code(m.method), m.policies, m.cost, m.key, m.enforcedBy]))}
            ${this._section('Routes', 'No route is configured under quarkus.rate-limit.routes.',
                    ['Route', 'Paths', 'Methods', 'Policy'],
                    this._entryPoints.routes.map(r => [r.name, code(r.paths), r.methods, r.policy]))}
            ${this._section('Injected limiters', 'No limiter is injected with @RateLimitPolicy.',
                    ['Location', 'Policy'],
                    this._entryPoints.limiters.map(l => [code(l.place), l.policy]))}`;
    }

    /** The first column names what is limited. */
    _section(name, empty, titles, rows) {
        return html`
            <h3>${name}</h3>
            ${rows.length === 0 ? html`<p class="hint">${empty}</p>`
                : table(name, titles.map((title, i) => ({ title, labeled: i > 0 })), rows)}`;
    }
}
customElements.define('qwc-rate-limit-entry-points', QwcRateLimitEntryPoints);
