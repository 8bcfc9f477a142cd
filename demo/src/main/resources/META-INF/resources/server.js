// The requests of the page to the application. Those that fail do so with a sentence for the page.

/** Overrides limits; fails with the message of the application when a number is out of range. */
export async function putLimits(limitsByCaller, fresh) {
    await expectDone(await request(`/demo/limits?fresh=${fresh}`, {
        method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(limitsByCaller)
    }));
}

/** One real request to the method with @RateLimited. */
export async function callOverHttp(caller, work) {
    const sent = performance.now();
    const response = await request(`/calls?work=${work}`, { headers: { 'X-Caller': caller }, cache: 'no-store' });
    const waited = performance.now() - sent;
    await response.text();
    const retryAfter = response.headers.get('Retry-After');
    const left = /;r=(\d+)/.exec(response.headers.get('RateLimit') ?? '');
    return {
        caller, allowed: response.ok, waited, remaining: left ? Number(left[1]) : null,
        retryAfter: retryAfter ? 1000 * retryAfter : 0, status: response.status, shown: shown(caller, response)
    };
}

/** Many calls from code; passes on each decision as it arrives. */
export async function callFromCode(counts, { every = 0, work = 0, signal } = {}, report) {
    const response = await request(`/demo/calls?every=${every}&work=${work}`, {
        method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(counts), signal
    });
    await expectDone(response);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let begun = '';
    for (;;) {
        const { value, done } = await connected(reader.read());
        if (done) {
            return;
        }
        const lines = (begun + value).split('\n');
        begun = lines.pop();
        lines.filter(line => line).forEach(line => report(JSON.parse(line)));
    }
}

/** The state of callers, and when it was read by the clock of the page. */
export async function standing(callers) {
    const sent = performance.now();
    const response = await request('/demo/standing?' + callers.map(caller => `caller=${caller}`).join('&'));
    await expectDone(response);
    const halfway = (sent + performance.now()) / 2;
    return (await response.json()).map(decision => ({ ...decision, seen: halfway }));
}

/** Ends the block of a caller. */
export async function unblock(caller) {
    await expectDone(await request(`/demo/block?caller=${caller}`, { method: 'DELETE' }));
}

/** Stops Redis from replying for this number of seconds. */
export async function pauseRedis(seconds) {
    await expectDone(await request(`/demo/redis/pause?seconds=${seconds}`, { method: 'POST' }));
}

const request = (path, options) => connected(fetch(path, options));

async function connected(exchange) {
    try {
        return await exchange;
    } catch (failure) {
        throw failure.name === 'AbortError' ? failure : new Error('The application does not respond. Is it still running?');
    }
}

async function expectDone(response) {
    if (response.ok) {
        return;
    }
    switch (response.status) {
        case 400:
            throw new Error(await response.text());
        case 429:
            throw new Error(`The demo is limited, too. Try again in ${response.headers.get('Retry-After')} s.`);
        case 503:
            throw new Error('Redis does not reply. Try again when it does.');
        default:
            throw new Error(`The application responds with status ${response.status}. Its log has the reason.`);
    }
}

function shown(caller, response) {
    const lines = ['GET /calls', `X-Caller: ${caller}`, '', `HTTP/1.1 ${response.status} ${response.statusText}`];
    for (const name of ['RateLimit-Policy', 'RateLimit', 'Retry-After', 'X-RateLimit-Limit', 'X-RateLimit-Remaining',
        'X-RateLimit-Reset', 'Cache-Control', 'Content-Type']) {
        if (response.headers.has(name)) {
            lines.push(`${name}: ${response.headers.get(name)}`);
        }
    }
    return lines.join('\n');
}
