// One caller: the permits left of its limit, and its requests on a moving timeline.

import { ALGORITHMS, delayed, inWords, left } from './algorithms.js';

const PIPS = 34;
const FOOT = 14;
const COLUMN = 7;
const LONGEST_SHOWN = 40_000;

const colours = {};

/** Reads the colors of the page's style, which differ in light and dark mode. */
export function readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ['ink', 'soft', 'line', 'allowed', 'denied', 'delayed', 'level', 'band', 'card']) {
        colours[name] = style.getPropertyValue(`--${name}`).trim();
    }
}

export class Chart {

    /** @param {{label: string, caller: string, limit: object, name: string}} what */
    constructor(what) {
        Object.assign(this, what);
        this.allowed = 0;
        this.denied = 0;
        this.marks = [];
        this.levels = [];
        this.fallbacks = [];
        this.blocks = [];
        this.standing = null;
        this.ahead = 0;
        this.build();
    }

    build() {
        this.element = document.createElement('article');
        this.element.className = 'chart';
        this.element.dataset.name = this.name;
        this.element.innerHTML = `
            <header><h3></h3><p class="words"></p><p class="left" role="meter" aria-valuemin="0"></p></header>
            <canvas role="img"></canvas>
            <p class="counts"><span><b class="allowed">0</b> allowed</span> <span><b class="denied">0</b> denied</span>
                <span class="source"></span></p>`;
        this.find('h3').textContent = this.label;
        this.find('.left').setAttribute('aria-label', `Left for ${this.label}`);
        this.canvas = this.find('canvas');
        this.canvas.setAttribute('aria-label', `Requests of ${this.label} as time passes; the counts below show the same.`);
        this.limited(this.limit);
    }

    find(selector) {
        return this.element.querySelector(selector);
    }

    /** The limit has changed. */
    limited(limit) {
        const other = limit.algorithm !== this.limit.algorithm;
        this.limit = limit;
        if (other) {
            this.standing = null;
        }
        const words = this.label === ALGORITHMS[limit.algorithm].name ? '' : `${ALGORITHMS[limit.algorithm].name}, `;
        this.find('.words').textContent = words + inWords(limit);
    }

    /** A request was decided. */
    decided(decision) {
        const now = performance.now();
        const delay = decision.delay ?? 0;
        this.marks.push({ at: now, allowed: decision.allowed, sent: delay > 0 ? now - delay : null });
        this[decision.allowed ? 'allowed' : 'denied']++;
        const block = this.blocks.at(-1);
        if (decision.allowed && block?.to > now) {
            block.to = now;
        } else if (decision.blocked && !(block?.to > now)) {
            this.blocks.push({ from: now, to: now + decision.retryAfter });
        }
        if (decision.capacity !== undefined) {
            // a delayed request was decided when it arrived
            this.stands({ ...decision, seen: now - delay });
        }
        this.find('.allowed').textContent = this.allowed;
        this.find('.denied').textContent = this.denied;
    }

    /** The state of the limit. */
    stands(decision) {
        if (this.standing && decision.seen < this.standing.seen) {
            return;
        }
        const now = performance.now();
        this.remember(now);
        this.standing = decision;
        this.remember(now);
        if (decision.source === 'REDIS' || this.ahead === 0) {
            this.ahead = decision.at - decision.seen;
        }
        const last = this.fallbacks.at(-1);
        if (decision.source === 'FALLBACK') {
            if (last && !last.over) {
                last.to = decision.seen;
            } else {
                this.fallbacks.push({ from: decision.seen, to: decision.seen, over: false });
            }
        } else if (last) {
            last.over = true;
        }
        this.find('.source').textContent = decision.source === 'FALLBACK' ? 'fallback' : '';
    }

    /** The permits left now, as far as known. */
    left(now) {
        return this.standing ? left(this.standing, this.limit, now - this.standing.seen) : null;
    }

    /** Whether nothing changes until the next request. */
    rests(now) {
        const last = this.marks.at(-1);
        return (!last || now - last.at > LONGEST_SHOWN / 2) && this.standing && now - this.standing.seen > this.standing.reset;
    }

    /** Shows the permits left as text. */
    report(now) {
        const level = this.left(now);
        if (level === null) {
            return;
        }
        const meter = this.find('.left');
        const whole = Math.floor(level + 1e-6);
        const waiting = this.limit.maxWait > 0 && this.standing ? delayed(this.standing, this.limit, now - this.standing.seen) : 0;
        const text = waiting > 0 ? `${waiting} waiting` : `${whole} of ${this.standing.capacity} left`;
        if (meter.textContent !== text) {
            meter.textContent = text;
            meter.setAttribute('aria-valuemax', this.standing.capacity);
            meter.setAttribute('aria-valuenow', whole);
            meter.setAttribute('aria-valuetext', text);
        }
    }

    draw(now) {
        const width = this.canvas.clientWidth;
        const height = this.canvas.clientHeight;
        const ratio = window.devicePixelRatio || 1;
        if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
            this.canvas.width = Math.round(width * ratio);
            this.canvas.height = Math.round(height * ratio);
        }
        const pen = this.canvas.getContext('2d');
        pen.setTransform(ratio, 0, 0, ratio, 0, 0);
        pen.clearRect(0, 0, width, height);
        const perMilli = Math.max(26, Math.min(46, width / 16)) / 1000;
        const bottom = height - FOOT;
        const axis = Math.round(PIPS + (bottom - PIPS) * .6);
        const place = {
            now, width, height, perMilli, bottom, axis, up: axis - PIPS, down: bottom - axis,
            x: at => width - 6 - (now - at) * perMilli, first: now - width / perMilli
        };
        this.dropOld(now);
        this.remember(now, 60);
        this.drawSpans(pen, place);
        this.drawBlocks(pen, place);
        this.drawLevels(pen, place);
        this.drawAxis(pen, place);
        this.drawMarks(pen, place);
        this.drawPips(pen, width, now);
    }

    dropOld(now) {
        const old = at => now - at > LONGEST_SHOWN;
        while (this.marks.length && old(this.marks[0].at)) {
            this.marks.shift();
        }
        while (this.levels.length && old(this.levels[0].at)) {
            this.levels.shift();
        }
    }

    /** Stores the permits left now, unless that was done a moment ago. */
    remember(now, moment = 0) {
        const level = this.left(now);
        const last = this.levels.at(-1);
        if (level !== null && (!last || now - last.at >= moment)) {
            this.levels.push({ at: now, part: level / this.standing.capacity });
        }
    }

    /** Draws windows, the period that counts, and when Redis was unavailable. */
    drawSpans(pen, { now, width, x, first, bottom }) {
        const { algorithm, period } = this.limit;
        const top = PIPS;
        const height = bottom - top;
        if (algorithm === 'fixed-window' || algorithm === 'sliding-window') {
            for (let window = Math.floor((first + this.ahead) / period); window * period <= now + this.ahead; window++) {
                const from = x(window * period - this.ahead);
                if (window % 2 === 0) {
                    pen.fillStyle = colours.band;
                    pen.fillRect(from, top, Math.min(width, x((window + 1) * period - this.ahead)) - from, height);
                }
                pen.fillStyle = colours.soft;
                pen.fillRect(from, top, 1, height);
            }
        }
        if (algorithm === 'sliding-log' || algorithm === 'sliding-window') {
            const from = x(now - period);
            pen.fillStyle = colours.delayed;
            pen.fillRect(from, bottom - 2, x(now) - from, 2);
            pen.fillRect(from, bottom - 8, 1.5, 8);
            pen.fillRect(x(now) - 1, bottom - 8, 1.5, 8);
        }
        for (const span of this.fallbacks) {
            const from = x(span.from);
            const to = Math.max(from + 4, x(span.over ? span.to : now));
            if (to > 0) {
                pen.save();
                pen.beginPath();
                pen.rect(from, top, to - from, height);
                pen.clip();
                pen.strokeStyle = colours.denied;
                pen.globalAlpha = .35;
                pen.beginPath();
                for (let at = from - height - (from % 9); at < to; at += 9) {
                    pen.moveTo(at, top + height);
                    pen.lineTo(at + height, top);
                }
                pen.stroke();
                pen.restore();
            }
        }
    }

    /** Draws when the key was blocked. */
    drawBlocks(pen, { now, x, axis, down }) {
        pen.fillStyle = colours.denied;
        pen.font = '11px system-ui, sans-serif';
        pen.textAlign = 'left';
        for (const { from, to } of this.blocks) {
            const wide = x(Math.min(to, now)) - x(from);
            pen.globalAlpha = .12;
            pen.fillRect(x(from), axis, wide, down);
            pen.globalAlpha = 1;
            if (wide > 50) {
                pen.fillText('blocked', x(from) + 4, axis + down - 12);
            }
        }
    }

    /** Draws the permits left as an area above the axis. */
    drawLevels(pen, { x, now, axis, up }) {
        if (this.levels.length < 2) {
            return;
        }
        pen.fillStyle = colours.level;
        pen.beginPath();
        pen.moveTo(x(this.levels[0].at), axis);
        for (const { at, part } of this.levels) {
            pen.lineTo(x(at), axis - part * up);
        }
        pen.lineTo(x(now), axis - this.levels.at(-1).part * up);
        pen.lineTo(x(now), axis);
        pen.fill();
    }

    drawAxis(pen, { now, width, height, x, axis }) {
        pen.fillStyle = colours.soft;
        pen.fillRect(0, axis, width, 1);
        pen.font = '11px system-ui, sans-serif';
        pen.textAlign = 'right';
        pen.fillText('now', width - 4, height - 1);
        pen.textAlign = 'center';
        for (let ago = 5; x(now - ago * 1000) > 14; ago += 5) {
            pen.fillText(`${ago} s`, x(now - ago * 1000), height - 1);
        }
    }

    /** Stacks requests of about the same time: allowed ones upwards, denied ones downwards. */
    drawMarks(pen, place) {
        const { perMilli, x, first, axis, up, down } = place;
        const each = COLUMN / perMilli;
        const stacks = new Map();
        for (const mark of this.marks) {
            if (mark.at >= first - this.limit.work) {
                const column = Math.floor(mark.at / each) * 2 + (mark.allowed ? 1 : 0);
                const stack = stacks.get(column) ?? [];
                stack.push(mark);
                stacks.set(column, stack);
            }
        }
        for (const [column, stack] of stacks) {
            const upwards = column % 2 === 1;
            const at = x((Math.floor(column / 2) + .5) * each);
            const step = Math.min(6.6, (upwards ? up : down - 4) / stack.length);
            stack.forEach((mark, nth) =>
                this.drawMark(pen, mark, at, axis + (upwards ? -1 : 1) * (5 + nth * step), place));
        }
    }

    drawMark(pen, mark, at, y, { x, now, axis }) {
        if (!mark.allowed) {
            pen.strokeStyle = colours.denied;
            pen.lineWidth = 1.6;
            pen.beginPath();
            pen.moveTo(at - 2.4, y - 2.4);
            pen.lineTo(at + 2.4, y + 2.4);
            pen.moveTo(at - 2.4, y + 2.4);
            pen.lineTo(at + 2.4, y - 2.4);
            pen.stroke();
            return;
        }
        if (mark.sent !== null) {
            pen.strokeStyle = colours.delayed;
            pen.lineWidth = 1.4;
            pen.beginPath();
            pen.moveTo(x(mark.sent), axis + 3);
            pen.lineTo(at, y);
            pen.stroke();
        }
        if (this.limit.algorithm === 'concurrency') {
            pen.fillStyle = colours.allowed;
            pen.globalAlpha = .35;
            pen.fillRect(at, y - 1.5, x(Math.min(now, mark.at + this.limit.work)) - at, 3);
            pen.globalAlpha = 1;
        }
        pen.fillStyle = mark.sent === null ? colours.allowed : colours.delayed;
        pen.beginPath();
        pen.arc(at, y, 2.9, 0, 2 * Math.PI);
        pen.fill();
    }

    /** Draws each permit left as a full circle, and the one being refilled as a part of it. */
    drawPips(pen, width, now) {
        const level = this.left(now);
        if (level === null) {
            return;
        }
        const capacity = this.standing.capacity;
        const step = Math.min(17, (width - 4) / capacity);
        pen.strokeStyle = colours.allowed;
        pen.fillStyle = colours.allowed;
        if (step < 6) {
            pen.globalAlpha = .25;
            pen.fillRect(1, 6, width - 2, 12);
            pen.globalAlpha = 1;
            pen.fillRect(1, 6, (width - 2) * level / capacity, 12);
            return;
        }
        const radius = Math.min(6, step / 2 - 1);
        pen.lineWidth = 1;
        for (let pip = 0; pip < capacity; pip++) {
            const x = 2 + radius + pip * step;
            const part = Math.max(0, Math.min(1, level - pip));
            pen.beginPath();
            pen.arc(x, 12, radius, 0, 2 * Math.PI);
            pen.stroke();
            if (part > 0) {
                pen.globalAlpha = part > .999 ? 1 : .45;
                pen.beginPath();
                // the circle's part below the surface
                const surface = Math.asin(1 - 2 * part);
                pen.arc(x, 12, radius, surface, Math.PI - surface);
                pen.fill();
                pen.globalAlpha = 1;
            }
        }
    }
}
