// The visible charts: fetches their state, draws them, counts, and keeps the log.

import { callFromCode, callOverHttp, putLimits, standing } from './server.js';
import { Chart, readColours } from './chart.js';

const PEEK_EACH = 400;
const MOST_LOGGED = 60;

const STATUSES = { 200: ' OK', 429: ' Too Many Requests', 503: ' Service Unavailable' };
const SOURCES = { REDIS: 'Redis', DENIAL_CACHE: 'denial cache', MEMORY: 'memory', FALLBACK: 'fallback' };

const calm = matchMedia('(prefers-reduced-motion: reduce)');
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });

export class Stage {

    constructor() {
        this.charts = [];
        this.logged = [];
        this.lastPeek = 0;
        this.lastShown = 0;
        this.lastDrawn = 0;
        this.peeking = false;
        /** Whether the last peek failed. */
        this.offline = false;
        readColours();
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
            readColours();
            this.redraw();
        });
        addEventListener('resize', () => this.redraw());
        requestAnimationFrame(now => this.tick(now));
    }

    /** Shows charts and overrides their limits. */
    async show(title, text, charts, fresh = true) {
        document.getElementById('stage-title').textContent = title;
        document.getElementById('stage-text').textContent = text;
        document.getElementById('result').textContent = '';
        this.charts = charts.map(chart => new Chart(chart));
        const place = document.getElementById('charts');
        place.replaceChildren(...this.charts.map(chart => chart.element));
        place.className = this.charts.length > 1 ? 'many' : '';
        this.showTotals();
        await putLimits(this.limitsByCaller(), fresh);
        await this.peek();
        this.redraw();
    }

    /** Overrides the limits while requests continue. */
    async changeLimits(limitOf) {
        for (const chart of this.charts) {
            chart.limited(limitOf(chart.name));
        }
        await putLimits(this.limitsByCaller(), false);
        await this.peek();
    }

    limitsByCaller() {
        return Object.fromEntries(this.charts.map(chart => [chart.caller, chart.limit]));
    }

    /** One request over HTTP for each chart. */
    async sendOne() {
        await Promise.all(this.charts.map(async chart => {
            const decision = await callOverHttp(chart.caller, chart.limit.work);
            const holds = decision.allowed && chart.limit.maxWait > 0 && decision.waited > 100;
            this.decided(chart, { ...decision, delay: holds ? decision.waited : 0 });
            document.getElementById('response').textContent = decision.shown;
        }));
        await this.peek();
    }

    /** Requests from code: a number for each chart by its name, or one number for all. */
    async send(counts, { every = 0, signal } = {}) {
        const charts = this.charts;
        const byCaller = {};
        const waiting = {};
        for (const chart of charts) {
            const count = typeof counts === 'number' ? counts : counts[chart.name] ?? 0;
            if (count > 0) {
                byCaller[chart.caller] = (byCaller[chart.caller] ?? 0) + count;
                (waiting[chart.caller] ??= []).push(...Array(count).fill(chart));
            }
        }
        const reported = {};
        const decisions = [];
        await callFromCode(byCaller, { every, work: Math.max(...charts.map(chart => chart.limit.work)), signal }, decision => {
            // charts with one key alternate, like their requests
            const index = reported[decision.caller] = (reported[decision.caller] ?? -1) + 1;
            const chart = waiting[decision.caller][index % waiting[decision.caller].length];
            if (this.charts === charts) {
                this.decided(chart, decision);
            }
            decisions.push({ ...decision, name: chart.name });
        });
        return decisions;
    }

    decided(chart, decision) {
        chart.decided(decision);
        this.logged.unshift({ chart: chart.label, decision, at: new Date() });
        this.logged.length = Math.min(this.logged.length, MOST_LOGGED);
        this.changed = true;
    }

    async peek() {
        if (this.peeking || this.charts.length === 0) {
            return;
        }
        this.peeking = true;
        this.lastPeek = performance.now();
        const charts = this.charts;
        try {
            for (const decision of await standing([...new Set(charts.map(chart => chart.caller))])) {
                charts.filter(chart => chart.caller === decision.caller).forEach(chart => chart.stands(decision));
            }
            if (this.offline) {
                this.offline = false;
                this.showFailure('');
            }
        } catch (failure) {
            this.offline = true;
            this.showFailure(failure.message);
        } finally {
            this.peeking = false;
        }
    }

    tick(now) {
        requestAnimationFrame(next => this.tick(next));
        const resting = this.charts.every(chart => chart.rests(now));
        if ((!resting || this.offline) && now - this.lastPeek > PEEK_EACH) {
            this.peek();
        }
        // with reduced motion, draw once per second
        if (now - this.lastDrawn >= (calm.matches ? 1000 : 33) && !resting) {
            this.lastDrawn = now;
            this.charts.forEach(chart => chart.draw(now));
        }
        if (now - this.lastShown > 250) {
            this.lastShown = now;
            this.charts.forEach(chart => chart.report(now));
            if (this.changed) {
                this.changed = false;
                this.showTotals();
                this.writeLog();
            }
        }
    }

    redraw() {
        this.charts.forEach(chart => chart.draw(performance.now()));
    }

    /** An empty text hides the last failure. */
    showFailure(text) {
        const shown = document.getElementById('trouble');
        if (shown.textContent !== text) {
            shown.textContent = text;
        }
    }

    /** For screen readers, which would read them all the time while they change. */
    announceTotals() {
        this.showTotals();
        document.getElementById('announced').textContent = document.getElementById('totals').textContent;
    }

    showTotals() {
        const allowed = this.charts.reduce((sum, chart) => sum + chart.allowed, 0);
        const denied = this.charts.reduce((sum, chart) => sum + chart.denied, 0);
        document.getElementById('totals').textContent = allowed + denied === 0 ? 'Nothing sent yet.'
            : `${allowed} allowed, ${denied} denied.`;
    }

    writeLog() {
        document.getElementById('log').replaceChildren(...this.logged.map(({ chart, decision, at }) => {
            const row = document.createElement('tr');
            row.className = decision.allowed ? 'allowed' : 'denied';
            const wait = decision.delay > 0 ? `, delayed by ${(decision.delay / 1000).toFixed(1)} s` : '';
            for (const text of [clock.format(at), chart,
                decision.status ? `${decision.status}${STATUSES[decision.status] ?? ''}${wait}`
                    : (decision.allowed ? 'allowed' : decision.blocked ? 'blocked' : 'denied') + wait,
                decision.remaining ?? '',
                decision.allowed ? '' : decision.status ? `${decision.retryAfter / 1000} s` : `${(decision.retryAfter / 1000).toFixed(3)} s`,
                decision.status ? '@RateLimited' : SOURCES[decision.source]]) {
                row.insertCell().textContent = text;
            }
            return row;
        }));
    }
}
