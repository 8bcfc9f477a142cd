// The six algorithms: name, description, fields, and the permits left between two peeks.

const bucketLevel = (decision, limit, since) =>
    decision.capacity - Math.max(0, decision.reset - since) * limit.permits / limit.period;

const asReported = decision => decision.remaining;

export const ALGORITHMS = {
    'token-bucket': {
        name: 'Token bucket', has: ['period', 'burst', 'refill', 'maxWait'],
        rule: 'A bucket starts full of tokens; each request acquires one. Tokens are refilled continuously, so a burst is allowed after a pause.',
        left: (decision, limit, since) => limit.interval
            ? decision.remaining + (decision.next > 0 && since >= decision.next ? limit.permits : 0)
            : bucketLevel(decision, limit, since)
    },
    'leaky-bucket': {
        name: 'Leaky bucket', has: ['period', 'maxWait'],
        rule: 'Requests proceed one by one at an even pace. A request that comes too early is delayed, or denied if it would have to wait too long.',
        left: bucketLevel
    },
    'fixed-window': {
        name: 'Fixed window', has: ['period'],
        rule: 'Counts from the edge of one window to the next; around an edge up to twice as many may be allowed.',
        left: (decision, limit, since) => since >= decision.reset ? decision.capacity : decision.remaining
    },
    'sliding-window': {
        name: 'Sliding window', has: ['period'],
        rule: 'Adds the count of the previous window, as far as the last period overlaps it, to the count of this window. So there is no edge.',
        left: asReported
    },
    'sliding-log': {
        name: 'Sliding log', has: ['period'],
        rule: 'Stores the time of each allowed request. So no period has more requests than permits.',
        left: asReported
    },
    'concurrency': {
        name: 'Concurrency', has: ['work'],
        rule: 'Limits how many requests run at the same time; a permit is released when its request ends.',
        left: asReported
    }
};

/** The permits left at this number of milliseconds after the decision; a fraction is being refilled. */
export function left(decision, limit, since) {
    const level = ALGORITHMS[limit.algorithm].left(decision, limit, since);
    return Math.max(0, Math.min(decision.capacity, level));
}

/** The number of delayed requests of a bucket; unknown for one that is refilled all at once. */
export function delayed(decision, limit, since) {
    const ahead = Math.max(0, decision.reset - since) * limit.permits / limit.period - decision.capacity;
    return limit.maxWait > 0 && !limit.interval ? Math.max(0, Math.ceil(ahead - 0.01)) : 0;
}

const seconds = millis => `${millis / 1000} s`;

/** The limit in words. */
export function inWords(limit) {
    if (limit.algorithm === 'concurrency') {
        return `${limit.permits} at the same time`;
    }
    const words = [`${limit.permits} per ${seconds(limit.period)}`];
    if (limit.algorithm === 'token-bucket' && limit.burst !== limit.permits) {
        words.push(`burst ${limit.burst}`);
    }
    if (limit.algorithm === 'token-bucket' && limit.interval) {
        words.push('refilled all at once');
    }
    if (limit.maxWait > 0 && ALGORITHMS[limit.algorithm].has.includes('maxWait')) {
        words.push(`waits up to ${seconds(limit.maxWait)}`);
    }
    return words.join(', ');
}

/** The limit as configuration. */
export function inProperties(limit) {
    const has = ALGORITHMS[limit.algorithm].has;
    const iso = millis => millis % 1000 ? `${millis}ms` : `${millis / 1000}s`;
    const lines = [['algorithm', limit.algorithm], ['permits', limit.permits]];
    if (has.includes('period')) {
        lines.push(['period', iso(limit.period)]);
    }
    if (has.includes('burst')) {
        lines.push(['burst', limit.burst], ['refill', limit.interval ? 'interval' : 'greedy']);
    }
    if (has.includes('maxWait')) {
        lines.push(['max-wait', iso(limit.maxWait)]);
    }
    lines.push(['key', 'header:X-Caller']);
    return lines.map(([name, value]) => `quarkus.rate-limit.policies.demo.${name}=${value}`).join('\n');
}
