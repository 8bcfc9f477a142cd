import { QwcHotReloadElement, html, css, nothing } from 'qwc-hot-reload-element';
import { JsonRpc } from 'jsonrpc';
import '@vaadin/button';
import '@vaadin/progress-bar';
import '@vaadin/select';
import '@vaadin/text-field';
import { styles } from './rate-limit-styles.js';

/** Calls the limiter of a policy for one caller: peek, acquire, refund, reset, override. */
export class QwcRateLimitPlayground extends QwcHotReloadElement {

    static styles = [styles, css`
        .columns {
            display: flex;
            flex-wrap: wrap;
            gap: 30px;
        }
        form {
            flex: 1 1 320px;
            max-width: 480px;
        }
        .reply {
            flex: 2 1 420px;
        }
        fieldset {
            border: 1px solid var(--lumo-contrast-20pct);
            border-radius: 6px;
            margin: 12px 0 0;
            padding: 0 14px 12px;
        }
        legend {
            color: var(--lumo-secondary-text-color);
            padding: 0 6px;
        }
        vaadin-select, vaadin-text-field.key {
            width: 100%;
        }
        .bar {
            padding: 0 0 4px;
        }
        .short {
            width: 6.5em;
        }
        .text {
            font-size: var(--lumo-font-size-l);
            margin: 0.5em 0;
        }
        vaadin-progress-bar {
            min-width: 90px;
        }
        ol {
            padding-left: 20px;
        }
    `];

    static properties = {
        _choices: { state: true },
        _choice: { state: true },
        _limit: { state: true },
        _running: { state: true },
        _reply: { state: true },
        _past: { state: true }
    };

    constructor() {
        super();
        this._rpc = new JsonRpc(this);
        this._running = 0;
        this._past = [];
    }

    connectedCallback() {
        super.connectedCallback();
        this.hotReload();
    }

    hotReload() {
        this._rpc.choices().then(reply => {
            this._choices = reply.result;
            this._choose(this._choice?.policy);
        });
    }

    _choose(policy) {
        this._choice = this._choices.find(choice => choice.policy === policy) ?? this._choices[0];
        this._limit = this._choice?.limits[0].name;
    }

    render() {
        if (!this._choices) {
            return html`<p class="hint">Loading…</p>`;
        }
        if (!this._choice) {
            return html`<p>No policy is configured, so there is nothing to play with.</p>`;
        }
        return html`
            <div class="columns">
                <form @submit=${event => event.preventDefault()}>${this._caller()} ${this._operations()} ${this._override()}</form>
                <section class="reply" aria-label="Reply">${this._shown()}</section>
            </div>`;
    }

    _caller() {
        return html`
            <vaadin-select id="policy" label="Policy" .value=${this._choice.policy}
                .items=${this._choices.map(choice => ({ label: choice.policy, value: choice.policy }))}
                @value-changed=${event => event.detail.value && this._choose(event.detail.value)}></vaadin-select>
            <p class="hint">${this._choice.limits.map(limit => limit.definition).join(' and ')}</p>
            ${this._choice.key.map((part, index) => html`
                <vaadin-text-field class="key" id="key-${index}" label="Key: ${part}"></vaadin-text-field>`)}
            ${this._choice.key.length ? nothing : html`<p class="hint">The key is global: one count for all callers.</p>`}`;
    }

    _operations() {
        return html`
            <fieldset>
                <legend>Call the limiter</legend>
                <div class="bar">
                    <vaadin-text-field class="short" id="cost" label="Cost" value="1" allowed-char-pattern="[0-9]"
                        @keydown=${event => event.key === 'Enter' && this._acquire()}></vaadin-text-field>
                    ${this._button('acquire', 'Acquire', () => this._acquire(), 'primary')}
                    ${this._button('peek', 'Peek', () => this._call('peek', {}))}
                </div>
                <div class="bar">
                    ${this._button('refund', 'Refund the last', () => this._call('refund', null))}
                    ${this._button('reset', 'Reset', () => this._call('reset', {}))}
                </div>
            </fieldset>`;
    }

    _override() {
        const limits = this._choice.limits;
        const definition = limits.find(limit => limit.name === this._limit)?.definition ?? '';
        return html`
            <fieldset>
                <legend>Override for this caller</legend>
                ${limits.length === 1 ? nothing : html`
                    <vaadin-select id="limit" label="Limit" .value=${this._limit}
                        .items=${limits.map(limit => ({ label: `${limit.name}: ${limit.definition}`, value: limit.name }))}
                        @value-changed=${event => event.detail.value && (this._limit = event.detail.value)}></vaadin-select>`}
                <div class="bar">
                    <vaadin-text-field class="short" id="permits" label="Permits"></vaadin-text-field>
                    <vaadin-text-field class="short" id="period" label="Period"></vaadin-text-field>
                    ${definition.startsWith('token-bucket')
                        ? html`<vaadin-text-field class="short" id="burst" label="Burst"></vaadin-text-field>` : nothing}
                </div>
                <div class="bar">
                    <vaadin-text-field class="short" id="duration" label="Duration" value="10m"></vaadin-text-field>
                    ${this._button('override', 'Override', () => this._call('override', { limit: this._limit,
                        permits: this._typed('permits'), period: this._typed('period'), burst: this._typed('burst'),
                        duration: this._typed('duration') }))}
                    ${this._button('remove-override', 'Remove override', () => this._call('removeOverride', {}))}
                </div>
                <p class="hint">Empty fields do not change, except the burst: it becomes the number of permits.</p>
            </fieldset>`;
    }

    _button(id, label, action, theme = '') {
        return html`<vaadin-button id=${id} theme=${theme} @click=${action}>${label}</vaadin-button>`;
    }

    _typed(id) {
        return this.shadowRoot.getElementById(id)?.value ?? '';
    }

    _acquire() {
        this._call('acquire', { cost: this._typed('cost') });
    }

    /** Calls a method for this caller; `more` is null when the method has no parameters. */
    _call(method, more) {
        const call = more === null ? this._rpc[method]() : this._rpc[method]({
            policy: this._choice.policy,
            key: this._choice.key.map((part, index) => this._typed(`key-${index}`)),
            ...more
        });
        this._running++;
        call.then(reply => reply.result, failure => ({ failed: true, text: failure.error?.message ?? 'It failed.' }))
            .then(reply => {
                this._running--;
                this._reply = reply;
                this._past = [reply.text, ...this._past].slice(0, 12);
            });
    }

    _shown() {
        const reply = this._reply;
        const tone = !reply ? 'hint' : reply.failed || !reply.decision.allowed ? 'bad' : 'good';
        return html`
            <p class="text ${tone}" role="status">${reply?.text
                ?? 'Enter the key of a caller and choose an operation. Permits that you acquire count as calls of this caller.'}</p>
            ${this._running ? html`<p class="hint">Waiting for the reply…</p>` : nothing}
            ${reply?.decision ? this._decision(reply.decision) : nothing}
            ${this._past.length < 2 ? nothing : html`
                <h3>Before</h3>
                <ol reversed>${this._past.slice(1).map(text => html`<li class="hint">${text}</li>`)}</ol>`}`;
    }

    _decision(decision) {
        return html`
            <p class="hint">Stored key: ${decision.key ? html`<code>${decision.key}</code>` : 'global'}, source: ${decision.source}.</p>
            <table>
                <thead><tr>
                    <th>Limit</th><th>Definition</th><th class="number">Left</th><th></th>
                    <th class="number">Retry after</th><th class="number">Full in</th>
                </tr></thead>
                <tbody>${decision.limits.map(limit => html`
                    <tr>
                        <td>${limit.name}</td>
                        <td>${limit.definition}</td>
                        <td class="number ${limit.allowed ? '' : 'bad'}">${limit.remaining} of ${limit.permits}</td>
                        <td><vaadin-progress-bar max=${limit.permits} .value=${limit.remaining}
                            aria-label="permits left of ${limit.name}"></vaadin-progress-bar></td>
                        <td class="number">${limit.retryAfter}</td>
                        <td class="number">${limit.resetAfter}</td>
                    </tr>`)}
                </tbody>
            </table>`;
    }
}
customElements.define('qwc-rate-limit-playground', QwcRateLimitPlayground);
