// Connects the controls and the stage.

import { ALGORITHMS, inProperties, inWords } from './algorithms.js';
import { Stage } from './stage.js';
import { SCENARIOS } from './scenarios.js';

const NAMES = ['alice', 'bob', 'carol', 'dave', 'erin'];

const find = id => document.getElementById(id);
const chosen = name => document.querySelector(`input[name=${name}]:checked`).value;

// each browser tab has its own callers
const tab = Math.random().toString(36).slice(2, 8);
const caller = name => `${tab}-${name}`;

const stage = new Stage();
let steady = null;
let scenario = null;
let ownShown = false;

/** The limit in the form, for one algorithm. */
function limitOf(algorithm) {
    const has = ALGORITHMS[algorithm].has;
    const millis = id => Math.round(1000 * find(id).value);
    const wait = millis('max-wait');
    return {
        algorithm, permits: Number(find('permits').value), period: millis('period'),
        burst: has.includes('burst') ? Number(find('burst').value) : Number(find('permits').value),
        interval: has.includes('refill') && find('refill').value === 'interval',
        work: has.includes('work') ? millis('work') : 0,
        maxWait: !has.includes('maxWait') ? 0 : algorithm === 'leaky-bucket' && wait === 0 ? 2000 : wait
    };
}

const all = () => chosen('watch') === 'all';

/** The charts that the form describes. */
function charts() {
    if (all()) {
        return Object.entries(ALGORITHMS).map(([algorithm, { name }]) =>
            ({ name: algorithm, label: name, caller: caller(algorithm), limit: limitOf(algorithm) }));
    }
    const shared = chosen('key') === 'shared';
    return NAMES.slice(0, callers()).map(name =>
        ({ name, label: name, caller: caller(shared ? 'shared' : name), limit: limitOf(find('algorithm').value) }));
}

/** The value of a field, brought into its range; the field then shows the value used. */
function bounded(id) {
    const field = find(id);
    const value = Math.max(field.min, Math.min(field.max, Math.round(field.value)));
    field.value = value;
    return value;
}

const callers = () => bounded('callers');

/** Shows what the form describes. */
async function showOwn(fresh = true) {
    ownShown = true;
    const algorithm = find('algorithm').value;
    await attempt(() => all()
        ? stage.show('All six side by side', `The same requests, six limits of ${find('permits').value}.`, charts(), fresh)
        : stage.show(ALGORITHMS[algorithm].name, ALGORITHMS[algorithm].rule, charts(), fresh));
}

/** The limit has changed; permits in use are carried over. */
async function change() {
    const algorithm = find('algorithm').value;
    arrangeFields();
    if (!find('limit').checkValidity()) {
        find('mistake').textContent = [...find('limit').elements].filter(element => !element.validity.valid)
            .map(element => `${element.labels[0].textContent}: enter ${element.min} to ${element.max}`
                + `${element.validity.stepMismatch ? `, in steps of ${element.step || 1}` : ''}.`).join(' ');
        return;
    }
    find('mistake').textContent = '';
    if (!ownShown) {
        await showOwn();
        return;
    }
    if (!all()) {
        find('stage-title').textContent = ALGORITHMS[algorithm].name;
        find('stage-text').textContent = ALGORITHMS[algorithm].rule;
    } else {
        find('stage-text').textContent = `The same requests, six limits of ${find('permits').value}.`;
    }
    await attempt(() => stage.changeLimits(name => limitOf(all() ? name : algorithm)));
}

/** Shows only the fields that the algorithm has. */
function arrangeFields() {
    const has = all() ? ['period', 'burst', 'refill', 'maxWait', 'work'] : ALGORITHMS[find('algorithm').value].has;
    document.querySelectorAll('[data-for]').forEach(field => {
        field.hidden = !has.includes(field.dataset.for);
        field.querySelectorAll('input, select').forEach(input => {
            input.disabled = field.hidden;
        });
    });
    document.querySelectorAll('.one-only').forEach(element => {
        element.hidden = all();
    });
    find('keys').hidden = callers() < 2;
    find('properties').textContent = (all() ? Object.keys(ALGORITHMS) : [find('algorithm').value])
        .map(algorithm => inProperties(limitOf(algorithm))).join('\n\n');
}

/** Shows a failure above the charts. */
async function attempt(action) {
    try {
        stage.showFailure('');
        await action();
    } catch (failure) {
        if (failure.name !== 'AbortError') {
            stage.showFailure(failure.message);
            await stage.peek();
        }
    }
}

/** Sends requests, and announces the totals at the end. */
async function onOwn(action) {
    if (!ownShown) {
        await showOwn();
    }
    await attempt(action);
    stage.announceTotals();
}

function stopSteady() {
    steady?.abort();
    steady = null;
    find('steady').textContent = 'Start';
    find('steady').setAttribute('aria-pressed', 'false');
}

async function toggleSteady() {
    if (steady) {
        stopSteady();
        return;
    }
    const mine = steady = new AbortController();
    find('steady').textContent = 'Stop';
    find('steady').setAttribute('aria-pressed', 'true');
    await onOwn(() => stage.send(1, { every: Math.round(1000 / bounded('rate')), signal: mine.signal }));
    if (steady === mine) {
        stopSteady();
    }
}

/** Restarts steady requests, because they belong to the charts that existed when they began. */
async function rearrange(fresh = true) {
    const running = steady !== null;
    stopSteady();
    arrangeFields();
    await showOwn(fresh);
    if (running) {
        toggleSteady();
    }
}

async function play(name, button) {
    stopSteady();
    ownShown = false;
    const mine = scenario = new AbortController();
    const { title, text, charts: ofScenario, play: plays } = SCENARIOS[name];
    const ownCharts = ofScenario(own => caller(`${name}-${own}`));
    playing(true);
    find('stop').focus({ preventScroll: true });
    find('stage').scrollIntoView({ block: 'start' });
    const wait = millis => new Promise((done, stopped) => {
        mine.signal.throwIfAborted();
        const timer = setTimeout(done, Math.max(0, millis));
        mine.signal.addEventListener('abort', () => {
            clearTimeout(timer);
            stopped(mine.signal.reason);
        }, { once: true });
    });
    const restart = () => stage.show(title, text, ownCharts);
    await attempt(async () => {
        await restart();
        const seconds = bounded('silent');
        find('result').textContent = await plays({ stage, wait, restart, seconds });
    });
    const focused = document.activeElement === find('stop');
    scenario = null;
    playing(false);
    if (focused) {
        button.focus({ preventScroll: true });
    }
}

/** While a scenario plays, nothing else can be started. */
function playing(plays) {
    find('stop').hidden = !plays;
    find('send').disabled = plays;
    find('limit-fields').disabled = plays;
    document.querySelectorAll('#scenarios button, #scenarios input').forEach(control => {
        control.disabled = plays;
    });
}

/* ---- settings, which this tab keeps when it is loaded again ---- */

const settings = () => [...document.querySelectorAll('main input, main select')];

function keepSettings() {
    sessionStorage.setItem('settings', JSON.stringify(settings().filter(field => field.validity.valid)
        .map(field => [field.id || `${field.name} ${field.value}`, field.type === 'radio' ? field.checked : field.value])));
}

function restoreSettings() {
    const kept = new Map(JSON.parse(sessionStorage.getItem('settings') ?? '[]'));
    for (const field of settings()) {
        const value = kept.get(field.id || `${field.name} ${field.value}`);
        if (field.type === 'radio') {
            field.checked = value ?? field.checked;
        } else {
            field.value = value ?? field.value;
        }
    }
}

function listScenarios() {
    for (const [name, { title, text, seconds }] of Object.entries(SCENARIOS)) {
        const item = document.createElement('li');
        item.innerHTML = `<h3 id="scenario-${name}"></h3><p></p><div class="row"><button type="button"
            data-scenario="${name}" aria-describedby="scenario-${name}">Play</button></div>`;
        item.querySelector('h3').textContent = title;
        item.querySelector('p').textContent = text;
        if (seconds) {
            item.querySelector('.row').insertAdjacentHTML('beforebegin', `<div class="row"><label for="silent">Silent for, seconds</label>
                <input type="number" id="silent" min="1" max="10" value="${seconds}" inputmode="numeric"></div>`);
        }
        const button = item.querySelector('button');
        button.addEventListener('click', () => play(name, button));
        find('scenarios').append(item);
    }
}

for (const [value, { name }] of Object.entries(ALGORITHMS)) {
    find('algorithm').append(new Option(name, value));
}
listScenarios();
restoreSettings();
arrangeFields();

let typing = 0;
document.addEventListener('input', keepSettings);
find('limit').addEventListener('submit', event => event.preventDefault());
find('limit').addEventListener('input', event => {
    clearTimeout(typing);
    typing = setTimeout(event.target.name === 'watch' ? rearrange : change, event.target.type === 'number' ? 250 : 0);
});
for (const input of [find('callers'), ...document.querySelectorAll('input[name=key]')]) {
    input.addEventListener('input', () => rearrange());
}
find('rate').addEventListener('change', () => steady && rearrange(false));
find('stop').addEventListener('click', () => scenario?.abort());
find('one').addEventListener('click', () => onOwn(() => stage.sendOne()));
find('restart').addEventListener('click', () => rearrange());
find('burst-send').addEventListener('click', () =>
    onOwn(() => stage.send(bounded('burst-size'))));
find('steady').addEventListener('click', toggleSteady);
addEventListener('pagehide', stopSteady);
// overrides end after an hour
setInterval(() => attempt(() => ownShown && stage.changeLimits(name => limitOf(all() ? name : find('algorithm').value))), 1_200_000);

await showOwn();
document.documentElement.dataset.ready = 'true';
