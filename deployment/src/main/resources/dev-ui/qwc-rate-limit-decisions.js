import { QwcHotReloadElement, html } from 'qwc-hot-reload-element';
import { JsonRpc } from 'jsonrpc';
import '@vaadin/button';
import '@vaadin/text-field';
import { styles } from './rate-limit-styles.js';
import { table } from './rate-limit-table.js';
import { time } from './rate-limit-time.js';

const MAX_SHOWN = 200;
const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const COLUMNS = [{ title: 'Time', kind: 'time' }, { title: 'Policy' }, { title: 'Stored key' }, { title: 'Outcome' },
    { title: 'Left', kind: 'number', labeled: true }, { title: 'Retry after', kind: 'number', labeled: true }, { title: 'Source' }];
const TONES = { allowed: 'good', denied: 'bad' };

/** Reasons of denials, except that a limit is reached. */
const REASONS = {
    'cost-above-capacity': 'can never be allowed', 'missing-key': 'the key is missing', 'blocked': 'blocked',
    'paused': 'paused', 'redis-unavailable': 'Redis is unavailable'
};

/** With the policies for which an overflow pays, or all that deny. */
function outcome(one) {
    const asked = one.chain ?? [];
    const overflow = asked.length < 2 ? '' : one.outcome === 'allowed' ? `pays for ${asked.slice(0, -1).join(' > ')}`
        : `all of ${asked.join(' > ')}`;
    return [one.outcome, REASONS[one.reason], overflow].filter(Boolean).join(': ');
}

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
        const wanted = this._filter.toLowerCase();
        const shown = this._decisions.filter(one =>
            `${one.policy} ${outcome(one)} ${one.key ?? ''}`.toLowerCase().includes(wanted));
        return html`
            <div class="bar">
                <vaadin-text-field label="Filter by policy, key or outcome" clear-button-visible style="width: 20em"
                    @value-changed=${event => this._filter = event.detail.value}></vaadin-text-field>
                <vaadin-button id="pause" aria-pressed=${this._paused ? 'true' : 'false'} @click=${this._pause}>
                    ${this._paused ? 'Resume' : 'Pause'}</vaadin-button>
                <vaadin-button id="clear" @click=${this._clear}>Clear</vaadin-button>
                <span class="hint" role="status">${this._status(shown)}</span>
            </div>
            ${table('Live decisions', COLUMNS, shown.map(one => [
                `${CLOCK.format(one.time)}.${String(one.time % 1000).padStart(3, '0')}`,
                one.policy,
                one.key ? html`<code>${one.key}</code>` : one.key === '' ? 'global' : '',
                html`<span class=${TONES[one.outcome] ?? ''}>${outcome(one)}</span>`,
                one.remaining,
                one.retryAfter ? time(one.retryAfter) : '',
                one.source]))}`;
    }

    _status(shown) {
        if (this._decisions.length) {
            return shown.length ? `The last ${this._decisions.length}.` : 'No decision matches the filter.';
        }
        return this._paused ? 'Paused.' : 'Waiting for the next decision.';
    }
}
customElements.define('qwc-rate-limit-decisions', QwcRateLimitDecisions);
