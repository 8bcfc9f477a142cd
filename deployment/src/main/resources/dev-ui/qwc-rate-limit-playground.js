import { QwcHotReloadElement, html, css, nothing } from 'qwc-hot-reload-element';
import { JsonRpc } from 'jsonrpc';
import '@vaadin/button';
import '@vaadin/progress-bar';
import '@vaadin/select';
import '@vaadin/text-field';
import { styles } from './rate-limit-styles.js';

/** Asks a policy about a caller: looks, takes, gives back, resets, and puts other numbers in force. */
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
        .answer {
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
        _asked: { state: true },
        _answer: { state: true },
        _past: { state: true }
    };

    constructor() {
        super();
        this._rpc = new JsonRpc(this);
        this._asked = 0;
        this._past = [];
    }

    connectedCallback() {
        super.connectedCallback();
        this.hotReload();
    }

    hotReload() {
        this._rpc.choices().then(answer => {
            this._choices = answer.result;
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
                <form @submit=${event => event.preventDefault()}>${this._caller()} ${this._questions()} ${this._override()}</form>
                <section class="answer" aria-label="Answer">${this._shown()}</section>
            </div>`;
    }

    _caller() {
        return html`
            <vaadin-select id="policy" label="Policy" .value=${this._choice.policy}
                .items=${this._choices.map(choice => ({ label: choice.policy, value: choice.policy }))}
                @value-changed=${event => event.detail.value && this._choose(event.detail.value)}></vaadin-select>
            <p class="hint">${this._choice.limits.map(limit => limit.numbers).join(' and ')}</p>
            ${this._choice.key.map((part, index) => html`
                <vaadin-text-field class="key" id="key-${index}" label="Caller: ${part}"></vaadin-text-field>`)}
            ${this._choice.key.length ? nothing : html`<p class="hint">One count for all callers.</p>`}`;
    }

    _questions() {
        return html`
            <fieldset>
                <legend>Ask</legend>
                <div class="bar">
                    <vaadin-text-field class="short" id="cost" label="Cost" value="1" allowed-char-pattern="[0-9]"
                        @keydown=${event => event.key === 'Enter' && this._take()}></vaadin-text-field>
                    ${this._button('take', 'Take', () => this._take(), 'primary')}
                    ${this._button('peek', 'Peek', () => this._ask('peek', {}))}
                </div>
                <div class="bar">
                    ${this._button('give-back', 'Give back the last', () => this._ask('giveBack', null))}
                    ${this._button('reset', 'Reset', () => this._ask('reset', {}))}
                </div>
            </fieldset>`;
    }

    _override() {
        const limits = this._choice.limits;
        const numbers = limits.find(limit => limit.name === this._limit)?.numbers ?? '';
        return html`
            <fieldset>
                <legend>Other numbers for this caller</legend>
                ${limits.length === 1 ? nothing : html`
                    <vaadin-select id="limit" label="Limit" .value=${this._limit}
                        .items=${limits.map(limit => ({ label: `${limit.name}: ${limit.numbers}`, value: limit.name }))}
                        @value-changed=${event => event.detail.value && (this._limit = event.detail.value)}></vaadin-select>`}
                <div class="bar">
                    <vaadin-text-field class="short" id="permits" label="Permits"></vaadin-text-field>
                    <vaadin-text-field class="short" id="period" label="Period"></vaadin-text-field>
                    ${numbers.startsWith('token-bucket')
                        ? html`<vaadin-text-field class="short" id="burst" label="Burst"></vaadin-text-field>` : nothing}
                </div>
                <div class="bar">
                    <vaadin-text-field class="short" id="ttl" label="Lasts for" value="10m"></vaadin-text-field>
                    ${this._button('override', 'Override', () => this._ask('override', { limit: this._limit,
                        permits: this._typed('permits'), period: this._typed('period'), burst: this._typed('burst'),
                        ttl: this._typed('ttl') }))}
                    ${this._button('remove-override', 'Remove override', () => this._ask('removeOverride', {}))}
                </div>
                <p class="hint">What is left empty stays as it is; without a burst it is the number of permits.</p>
            </fieldset>`;
    }

    _button(id, label, action, theme = '') {
        return html`<vaadin-button id=${id} theme=${theme} @click=${action}>${label}</vaadin-button>`;
    }

    _typed(id) {
        return this.shadowRoot.getElementById(id)?.value ?? '';
    }

    _take() {
        this._ask('take', { cost: this._typed('cost') });
    }

    /** Asks about the caller; what needs none has no more. */
    _ask(method, more) {
        const question = more === null ? this._rpc[method]() : this._rpc[method]({
            policy: this._choice.policy,
            key: this._choice.key.map((part, index) => this._typed(`key-${index}`)),
            ...more
        });
        this._asked++;
        question.then(answer => answer.result, failure => ({ failed: true, text: failure.error?.message ?? 'It failed.' }))
            .then(answer => {
                this._asked--;
                this._answer = answer;
                this._past = [answer.text, ...this._past].slice(0, 12);
            });
    }

    _shown() {
        const answer = this._answer;
        const tone = !answer ? 'hint' : answer.failed || !answer.decision.allowed ? 'bad' : 'good';
        return html`
            <p class="text ${tone}" role="status">${answer?.text
                ?? 'Say who is calling, and ask. What you take counts as if the caller had called.'}</p>
            ${this._asked ? html`<p class="hint">Waiting for an answer…</p>` : nothing}
            ${answer?.decision ? this._decision(answer.decision) : nothing}
            ${this._past.length < 2 ? nothing : html`
                <h3>Before</h3>
                <ol reversed>${this._past.slice(1).map(text => html`<li class="hint">${text}</li>`)}</ol>`}`;
    }

    _decision(decision) {
        return html`
            <p class="hint">Stored as ${decision.key ? html`<code>${decision.key}</code>` : 'one count for all'}, decided by
                ${decision.source}.</p>
            <table>
                <thead><tr>
                    <th>Limit</th><th>Numbers</th><th class="number">Left</th><th></th>
                    <th class="number">Retry after</th><th class="number">Full in</th>
                </tr></thead>
                <tbody>${decision.limits.map(limit => html`
                    <tr>
                        <td>${limit.name}</td>
                        <td>${limit.numbers}</td>
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
