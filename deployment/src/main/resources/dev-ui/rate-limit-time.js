const UNITS = [['d', 86400], ['h', 3600], ['min', 60], ['s', 1]];

/** Seconds in the two largest units, rounded up, as the page of administration shows them. */
export function time(seconds) {
    if (seconds < 10) {
        return Math.ceil(seconds * 10) / 10 + ' s';
    }
    let rest = Math.ceil(seconds);
    const parts = [];
    for (const [unit, size] of UNITS) {
        const count = Math.floor(rest / size);
        rest -= count * size;
        if (count && parts.length < 2) {
            parts.push(count + ' ' + unit);
        }
    }
    return parts.join(' ');
}
