// The six algorithms: name, description, fields, and the permits left between two peeks.

const bucketLevel = (decision, numbers, since) =>
    decision.capacity - Math.max(0, decision.reset - since) * numbers.permits / numbers.period;

const asReported = decision => decision.remaining;

export const ALGORITHMS = {
    'token-bucket': {
        name: 'Token bucket', has: ['period', 'burst', 'refill', 'maxWait'],
        rule: 'A bucket starts full of tokens; each request acquires one. Tokens are refilled continuously, so a burst is allowed after a pause.',
        left: (decision, numbers, since) => numbers.interval
            ? decision.remaining + (decision.next > 0 && since >= decision.next ? numbers.permits : 0)
            : bucketLevel(decision, numbers, since)
    },
    'leaky-bucket': {
        name: 'Leaky bucket', has: ['period', 'maxWait'],
        rule: 'Requests proceed one by one at an even pace. A request that comes too early is delayed, or denied if it would have to wait too long.',
        left: bucketLevel
    },
    'fixed-window': {
        name: 'Fixed window', has: ['period'],
        rule: 'Counts from the edge of one window to the next; around an edge up to twice as many may be allowed.',
        left: (decision, numbers, since) => since >= decision.reset ? decision.capacity : decision.remaining
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
export function left(decision, numbers, since) {
    const level = ALGORITHMS[numbers.algorithm].left(decision, numbers, since);
    return Math.max(0, Math.min(decision.capacity, level));
}

/** The number of delayed requests of a bucket; unknown for one that is refilled all at once. */
export function delayed(decision, numbers, since) {
    const ahead = Math.max(0, decision.reset - since) * numbers.permits / numbers.period - decision.capacity;
    return numbers.maxWait > 0 && !numbers.interval ? Math.max(0, Math.ceil(ahead - 0.01)) : 0;
}

const seconds = millis => `${millis / 1000} s`;

/** The limit in words. */
export function inWords(numbers) {
    if (numbers.algorithm === 'concurrency') {
        return `${numbers.permits} at the same time`;
    }
    const words = [`${numbers.permits} per ${seconds(numbers.period)}`];
    if (numbers.algorithm === 'token-bucket' && numbers.burst !== numbers.permits) {
        words.push(`burst ${numbers.burst}`);
    }
    if (numbers.algorithm === 'token-bucket' && numbers.interval) {
        words.push('refilled all at once');
    }
    if (numbers.maxWait > 0 && ALGORITHMS[numbers.algorithm].has.includes('maxWait')) {
        words.push(`waits up to ${seconds(numbers.maxWait)}`);
    }
    return words.join(', ');
}

/** The limit as configuration. */
export function inProperties(numbers) {
    const has = ALGORITHMS[numbers.algorithm].has;
    const iso = millis => millis % 1000 ? `${millis}ms` : `${millis / 1000}s`;
    const lines = [['algorithm', numbers.algorithm], ['permits', numbers.permits]];
    if (has.includes('period')) {
        lines.push(['period', iso(numbers.period)]);
    }
    if (has.includes('burst')) {
        lines.push(['burst', numbers.burst], ['refill', numbers.interval ? 'interval' : 'greedy']);
    }
    if (has.includes('maxWait')) {
        lines.push(['max-wait', iso(numbers.maxWait)]);
    }
    lines.push(['key', 'header:X-Caller']);
    return lines.map(([name, value]) => `quarkus.rate-limit.policies.demo.${name}=${value}`).join('\n');
}
