// Scenarios: each plays on its own charts and returns a sentence about the result.

import { pauseRedis, unblock } from './server.js';

const bucket = (permits, period, burst = permits) =>
    ({ algorithm: 'token-bucket', permits, period, burst, interval: false, maxWait: 0, work: 0 });
const windowed = (algorithm, permits, period) =>
    ({ algorithm, permits, period, burst: permits, interval: false, maxWait: 0, work: 0 });

const count = (decisions, name) => decisions.filter(decision => decision.allowed && (!name || decision.name === name)).length;

export const SCENARIOS = {

    burst: {
        title: 'A burst',
        text: '30 requests come at once to a token bucket of 10 per 10 s; two seconds later 6 more.',
        charts: caller => [{ name: 'bucket', label: 'Token bucket', caller: caller('bucket'), limit: bucket(10, 10_000) }],
        async play({ stage, wait }) {
            const first = await stage.send(30);
            await wait(2000);
            const second = await stage.send(6);
            return `Of 30 at once ${count(first)} were allowed: the capacity of the bucket. Two seconds later`
                + ` ${count(second)} of 6 were allowed, because one token per second is refilled.`;
        }
    },

    edge: {
        title: 'The edge of a window',
        text: 'Both limits are 10 per 3 s. 10 requests come just before the edge of a window and 10 just after it.',
        charts: caller => [
            { name: 'fixed', label: 'Fixed window', caller: caller('fixed'), limit: windowed('fixed-window', 10, 3000) },
            { name: 'sliding', label: 'Sliding window', caller: caller('sliding'), limit: windowed('sliding-window', 10, 3000) }],
        async play({ stage, wait, restart }) {
            for (;;) {
                const edge = await nextEdge(stage, 3000);
                await wait(edge.in - 250);
                const before = await stage.send(10);
                await wait(edge.at - clock(stage) + 100);
                const after = await stage.send(10);
                // requests that took too long are on the wrong side of the edge: play it again
                if (before.every(decision => decision.at < edge.at) && after.every(decision => decision.at >= edge.at)) {
                    const all = [...before, ...after];
                    const span = Math.max(...all.map(decision => decision.at)) - Math.min(...all.map(decision => decision.at));
                    return `Within ${(span / 1000).toFixed(1)} s the fixed window allowed ${count(all, 'fixed')}, although its limit is`
                        + ` 10 per 3 s; the sliding window allowed ${count(all, 'sliding')}.`;
                }
                await restart();
            }
        }
    },

    neighbour: {
        title: 'A noisy neighbor',
        text: 'One caller sends 25 requests per second, another one per second. Side by side: with one key for both, and with'
            + ' separate keys. Every key has 10 per 5 s.',
        charts: caller => [
            { name: 'noisy-shared', label: 'Noisy, one key', caller: caller('shared'), limit: bucket(10, 5000) },
            { name: 'quiet-shared', label: 'Quiet, one key', caller: caller('shared'), limit: bucket(10, 5000) },
            { name: 'noisy-own', label: 'Noisy, own key', caller: caller('noisy'), limit: bucket(10, 5000) },
            { name: 'quiet-own', label: 'Quiet, own key', caller: caller('quiet'), limit: bucket(10, 5000) }],
        async play({ stage, wait }) {
            const all = [];
            for (let tick = 0; tick < 16; tick++) {
                const noisy = tick === 0 ? 15 : 5;
                const quiet = tick % 5 === 0 ? 1 : 0;
                all.push(...await stage.send({
                    'noisy-shared': noisy, 'noisy-own': noisy, 'quiet-shared': quiet, 'quiet-own': quiet
                }));
                await wait(200);
            }
            const quiet = all.filter(decision => decision.name === 'quiet-own').length;
            return `With one key ${count(all, 'quiet-shared')} of ${quiet} requests of the quiet caller were allowed: the noisy one`
                + ` uses up all permits. With separate keys ${count(all, 'quiet-own')} of ${quiet} were allowed.`;
        }
    },

    overflow: {
        title: 'A minimum and a pool',
        text: 'Each caller has a minimum of 2 per 2 s, and all share a pool of 6 per 2 s for what goes beyond it. One caller sends'
            + ' 20 requests per second, another one per second.',
        charts: caller => [
            { name: 'greedy', label: 'Greedy, minimum', caller: caller('greedy'), limit: bucket(2, 2000) },
            { name: 'modest', label: 'Modest, minimum', caller: caller('modest'), limit: bucket(2, 2000) }],
        async play({ stage, wait }) {
            const all = [];
            for (let tick = 0; tick < 24; tick++) {
                all.push(...await stage.send({ greedy: 5, modest: tick % 4 === 0 ? 1 : 0 }));
                await wait(250);
            }
            const sent = name => all.filter(decision => decision.name === name).length;
            return `Of ${sent('greedy')} requests of the greedy caller ${count(all, 'greedy')} were allowed, by its minimum or by the`
                + ` pool. Of ${sent('modest')} of the modest one ${count(all, 'modest')} were allowed: nobody can use its minimum.`;
        }
    },

    login: {
        title: 'Brute force against a login',
        text: 'Somebody guesses the password of a user, far beyond 3 guesses per 2 s. The fifth denial blocks the key for 2 s, and'
            + ' each further block is twice as long. In the end code unblocks it.',
        charts: caller => [
            { name: 'user', label: 'Login of a user', caller: caller('user'), limit: windowed('sliding-log', 3, 2000) }],
        async play({ stage, wait }) {
            const all = [];
            const blocks = [];
            const guess = async guesses => {
                for (const decision of await stage.send(guesses)) {
                    if (decision.blocked && !all.at(-1)?.blocked) {
                        blocks.push(Math.round(decision.retryAfter / 1000));
                    }
                    all.push(decision);
                }
                await wait(250);
            };
            await guess(8);
            while (blocks.length < 3) {
                await guess(1);
            }
            await wait(2000);
            await unblock(stage.charts[0].caller);
            await guess(1);
            return `Of ${all.length} guesses ${count(all)} were allowed. The blocks were for ${blocks.join(', ')} s.`
                + ' Code ended the last one, and the next request was allowed.';
        }
    },

    redis: {
        title: 'Redis is unavailable for a while',
        text: 'Four requests per second to a token bucket of 2 per second, while Redis does not reply for some seconds'
            + ' (CLIENT PAUSE). The fallback counts in the memory of the application until Redis replies again.',
        seconds: 8,
        charts: caller => [{ name: 'bucket', label: 'Token bucket', caller: caller('bucket'), limit: bucket(2, 1000, 4) }],
        async play({ stage, wait, seconds }) {
            const all = [];
            let slowest = 0;
            const once = async () => {
                const sent = performance.now();
                const [decision] = await stage.send(1);
                slowest = Math.max(slowest, performance.now() - sent);
                all.push(decision);
                await wait(Math.max(0, sent + 250 - performance.now()));
                return decision.source;
            };
            for (let before = 0; before < 4; before++) {
                await once();
            }
            await pauseRedis(seconds);
            const back = performance.now() + 1000 * seconds;
            const fallbacks = () => all.filter(decision => decision.source === 'FALLBACK');
            // the denial cache may still decide before the fallback does
            while (fallbacks().length === 0 && performance.now() < back) {
                await once();
            }
            while (await once() !== 'REDIS') {
                // until Redis decides again
            }
            for (let after = 0; after < 4; after++) {
                await once();
            }
            return `While Redis did not reply, the fallback decided ${fallbacks().length} requests and allowed`
                + ` ${count(fallbacks())}. The slowest decision took ${Math.round(slowest)} ms. Now Redis decides again.`;
        }
    }
};

/** Now, by the clock of the source. */
const clock = stage => performance.now() + stage.charts[0].ahead;

/** The next edge of a window that leaves enough time. */
async function nextEdge(stage, period) {
    await stage.peek();
    const now = clock(stage);
    let at = Math.ceil(now / period) * period;
    if (at - now < 500) {
        at += period;
    }
    return { at, in: at - now };
}
