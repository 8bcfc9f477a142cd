// The visible lanes: fetches their state, draws them, counts, and keeps the log.

import { callFromCode, callOverHttp, putLimits, standing } from './server.js';
import { Lane, readColours } from './lane.js';

const PEEK_EACH = 400;
const MOST_LOGGED = 60;

const STATUSES = { 200: ' OK', 429: ' Too Many Requests', 503: ' Service Unavailable' };
const SOURCES = { REDIS: 'Redis', DENIAL_CACHE: 'denial cache', MEMORY: 'memory', FALLBACK: 'fallback' };

const calm = matchMedia('(prefers-reduced-motion: reduce)');
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });

export class Stage {

    constructor() {
        this.lanes = [];
        this.logged = [];
        this.lastPeek = 0;
        this.lastTold = 0;
        this.lastDrawn = 0;
        this.peeking = false;
        readColours();
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
            readColours();
            this.redraw();
        });
        addEventListener('resize', () => this.redraw());
        requestAnimationFrame(now => this.tick(now));
    }

    /** Shows lanes and overrides their limits. */
    async show(title, text, lanes, fresh = true) {
        document.getElementById('stage-title').textContent = title;
        document.getElementById('stage-text').textContent = text;
        document.getElementById('result').textContent = '';
        this.lanes = lanes.map(lane => new Lane(lane));
        const place = document.getElementById('lanes');
        place.replaceChildren(...this.lanes.map(lane => lane.element));
        place.className = this.lanes.length > 1 ? 'many' : '';
        this.tellTotals();
        await putLimits(this.numbersByCaller(), fresh);
        await this.peek();
        this.redraw();
    }

    /** Overrides the limits while requests continue. */
    async limit(numbersByName, work) {
        for (const lane of this.lanes) {
            lane.limited(numbersByName(lane.name), work);
        }
        await putLimits(this.numbersByCaller(), false);
        await this.peek();
    }

    numbersByCaller() {
        return Object.fromEntries(this.lanes.map(lane => [lane.caller, lane.numbers]));
    }

    /** One request over HTTP for each lane. */
    async sendOne() {
        await Promise.all(this.lanes.map(async lane => {
            const answer = await callOverHttp(lane.caller, lane.work);
            const holds = lane.numbers.maxWait > 0 && answer.waited > 100;
            this.answered(lane, { ...answer, delay: holds ? answer.waited : 0 });
            document.getElementById('answer').textContent = answer.shown;
        }));
        await this.peek();
    }

    /** Requests from code: a number for each lane by its name, or one number for all. */
    async send(counts, { every = 0, signal } = {}) {
        const lanes = this.lanes;
        const byCaller = {};
        const turns = {};
        for (const lane of lanes) {
            const count = typeof counts === 'number' ? counts : counts[lane.name] ?? 0;
            if (count > 0) {
                byCaller[lane.caller] = (byCaller[lane.caller] ?? 0) + count;
                (turns[lane.caller] ??= []).push(...Array(count).fill(lane));
            }
        }
        const told = {};
        const answers = [];
        await callFromCode(byCaller, { every, work: lanes[0].work, signal }, answer => {
            // lanes with one key alternate, like their requests
            const turn = told[answer.caller] = (told[answer.caller] ?? -1) + 1;
            const lane = turns[answer.caller][turn % turns[answer.caller].length];
            if (this.lanes === lanes) {
                this.answered(lane, answer);
            }
            answers.push({ ...answer, name: lane.name });
        });
        return answers;
    }

    answered(lane, answer) {
        lane.answered(answer);
        this.logged.unshift({ lane: lane.label, answer, at: new Date() });
        this.logged.length = Math.min(this.logged.length, MOST_LOGGED);
        this.changed = true;
    }

    async peek() {
        if (this.peeking || this.lanes.length === 0) {
            return;
        }
        this.peeking = true;
        this.lastPeek = performance.now();
        const lanes = this.lanes;
        try {
            for (const answer of await standing([...new Set(lanes.map(lane => lane.caller))])) {
                lanes.filter(lane => lane.caller === answer.caller).forEach(lane => lane.stands(answer));
            }
        } catch (failure) {
            document.getElementById('stage-text').textContent = 'The application does not respond. Is it still running?';
        } finally {
            this.peeking = false;
        }
    }

    tick(now) {
        requestAnimationFrame(next => this.tick(next));
        const resting = this.lanes.every(lane => lane.rests(now));
        if (!resting && now - this.lastPeek > PEEK_EACH) {
            this.peek();
        }
        // with reduced motion, draw once per second
        if (now - this.lastDrawn >= (calm.matches ? 1000 : 33) && !resting) {
            this.lastDrawn = now;
            this.lanes.forEach(lane => lane.draw(now));
        }
        if (now - this.lastTold > 250) {
            this.lastTold = now;
            this.lanes.forEach(lane => lane.tell(now));
            if (this.changed) {
                this.changed = false;
                this.tellTotals();
                this.writeLog();
            }
        }
    }

    redraw() {
        this.lanes.forEach(lane => lane.draw(performance.now()));
    }

    tellTotals() {
        const allowed = this.lanes.reduce((sum, lane) => sum + lane.allowed, 0);
        const denied = this.lanes.reduce((sum, lane) => sum + lane.denied, 0);
        document.getElementById('totals').textContent = allowed + denied === 0 ? 'Nothing sent yet.'
            : `${allowed} allowed, ${denied} denied.`;
    }

    writeLog() {
        document.getElementById('log').replaceChildren(...this.logged.map(({ lane, answer, at }) => {
            const row = document.createElement('tr');
            row.className = answer.allowed ? 'allowed' : 'denied';
            const wait = answer.delay > 0 ? `, delayed by ${(answer.delay / 1000).toFixed(1)} s` : '';
            for (const text of [clock.format(at), lane,
                answer.status ? `${answer.status}${STATUSES[answer.status] ?? ''}${wait}`
                    : (answer.allowed ? 'allowed' : answer.blocked ? 'blocked' : 'denied') + wait,
                answer.remaining ?? '',
                answer.allowed ? '' : answer.status ? `${answer.retryAfter / 1000} s` : `${(answer.retryAfter / 1000).toFixed(3)} s`,
                answer.status ? '@RateLimited' : SOURCES[answer.source]]) {
                row.insertCell().textContent = text;
            }
            return row;
        }));
    }
}
