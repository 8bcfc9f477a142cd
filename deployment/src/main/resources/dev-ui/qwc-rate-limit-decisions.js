import { QwcHotReloadElement, html } from 'qwc-hot-reload-element';
import { JsonRpc } from 'jsonrpc';
import '@vaadin/button';
import '@vaadin/text-field';
import { styles } from './rate-limit-styles.js';

const MAX_SHOWN = 200;
const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** A wait, rounded up. */
const seconds = wait => wait < 10 ? Math.ceil(wait * 10) / 10 + ' s' : Math.ceil(wait) + ' s';

/** Shows decisions live, the latest first. */
export class QwcRateLimitDecisions extends QwcHotReloadElement {

    static styles = styles;

    static properties = {
        _decisions: { state: true },
        _paused: { state: true },
        _filter: { state: true }
    };

    constructor() {
        super();
        // not logged, as there may be many
        this._rpc = new JsonRpc(this, false);
        this._filter = '';
        this._clear();
    }

    connectedCallback() {
        super.connectedCallback();
        this.hotReload();
    }

    disconnectedCallback() {
        this._stop();
        super.disconnectedCallback();
    }

    hotReload() {
        this._stop();
        if (!this._paused) {
            this._stream = this._rpc.decisions().onNext(update => {
                this._decisions = [...update.result.reverse(), ...this._decisions].slice(0, MAX_SHOWN);
            });
        }
    }

    _stop() {
        this._stream?.cancel();
        this._stream = null;
    }

    _pause() {
        this._paused = !this._paused;
        this.hotReload();
    }

    _clear() {
        this._decisions = [];
    }

    render() {
        const shown = this._decisions.filter(one =>
            `${one.policy} ${one.outcome} ${one.key ?? ''}`.includes(this._filter));
        return html`
            <div class="bar">
                <vaadin-text-field label="Filter by policy, key or outcome" clear-button-visible style="width: 20em"
                    @value-changed=${event => this._filter = event.detail.value}></vaadin-text-field>
                <vaadin-button id="pause" aria-pressed=${this._paused ? 'true' : 'false'} @click=${this._pause}>
                    ${this._paused ? 'Resume' : 'Pause'}</vaadin-button>
                <vaadin-button id="clear" @click=${this._clear}>Clear</vaadin-button>
                <span class="hint" role="status">${this._status()}</span>
            </div>
            <table id="decisions">
                <thead><tr>
                    <th>Time</th><th>Policy</th><th>Stored key</th><th>Outcome</th>
                    <th class="number">Left</th><th class="number">Retry after</th><th>Source</th>
                </tr></thead>
                <tbody>${shown.map(one => this._row(one))}</tbody>
            </table>`;
    }

    _status() {
        if (this._decisions.length) {
            return `The last ${this._decisions.length}.`;
        }
        return this._paused ? 'Paused.' : 'Waiting for the next decision.';
    }

    _row(one) {
        const tone = { allowed: 'good', denied: 'bad' }[one.outcome] ?? '';
        return html`
            <tr>
                <td class="time">${TIME.format(one.time)}.${String(one.time % 1000).padStart(3, '0')}</td>
                <td>${one.policy}</td>
                <td>${one.key ? html`<code>${one.key}</code>` : one.key === '' ? 'global' : ''}</td>
                <td class=${tone}>${one.outcome}</td>
                <td class="number">${one.remaining}</td>
                <td class="number">${one.retryAfter ? seconds(one.retryAfter) : ''}</td>
                <td>${one.source}</td>
            </tr>`;
    }
}
customElements.define('qwc-rate-limit-decisions', QwcRateLimitDecisions);
