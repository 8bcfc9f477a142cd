import {$, badge, changed, clock, configured, counted, element, hasDigest, isolated, limitText, limitsText, named, seconds,
  shortened, showMessage, showText, time, until} from './text.js';
import {failed, forget, isOutage, read, send, solved} from './requests.js';
import {copy, durationField, limitFields, openDialog, overrideBody, overrideDuration} from './dialogs.js';
import {KeyList} from './lists.js';

const STATE_MILLIS = 1000;
const POLICIES_MILLIS = 5000;
/** With more policies, they can be filtered. */
const FEW_POLICIES = 10;

let policies = [];
let application = '';
/** The policy that is shown; undefined for the denials of all. */
let policy;
/** The values of the key that is shown; or undefined. */
let key;
let state;
/** Whether the page can acquire: only in dev mode. */
let acquires = false;

/** A value that is the name of an operation needs an escaped letter. */
const escaped = value => ['override', 'block'].includes(value)
  ? '%' + value.charCodeAt(0).toString(16) + value.slice(1) : encodeURIComponent(value);
const policyPath = (name = policy.name) => 'policies/' + name;
const keyPath = (values, name) => [policyPath(name) + '/keys', ...values.map(escaped)].join('/');
const inShadow = () => policy.mode === 'shadow' || policy.shadow !== undefined;

/* ---- addresses: #policy/value/value ---- */

const address = (name, values = []) => '#' + [name, ...values].filter(part => part !== undefined).map(encodeURIComponent).join('/');

/** Shows what the address names. */
function route() {
  const [name, ...values] = location.hash.slice(1).split('/').map(part => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  const named = policies.find(one => one.name === name);
  choose(named);
  if (name && !named) {
    showMessage(true, 'No policy has the name ', isolated(name), '.');
  }
  if (named && values.length) {
    fillIn(values);
    run(() => lookUp(values));
  }
}

function go(name, values) {
  if (location.hash !== address(name, values)) {
    history.pushState(null, '', address(name, values));
  }
  route();
}

function showTitle() {
  const app = application ? ' – ' + application : '';
  document.title = (policy ? policy.name + ' – ' : '') + 'Rate limits' + app;
}

/* ---- policies ---- */

async function loadPolicies() {
  const loaded = await read('policies', 'policies');
  if (!loaded) {
    return;
  }
  solved('action');
  const isFirst = !policies.length;
  ({policies, application, acquire: acquires = false} = loaded);
  $('who').textContent = [loaded.application, loaded.profile && 'profile ' + loaded.profile,
    loaded.operator && 'logged in as ' + loaded.operator].filter(Boolean).join(', ');
  // denials are counted in Redis
  if (policies.some(one => one.denials === null)) {
    failed('denials', {status: 503});
  } else {
    solved('denials');
  }
  if (isFirst) {
    route();
  } else if (policy) {
    policy = policies.find(one => one.name === policy.name) ?? policy;
    showPolicy();
  }
  showPolicies();
}

/** The order stays while somebody uses the list. */
function ordered() {
  const byName = (a, b) => a.name < b.name ? -1 : 1;
  const list = $('policies');
  if ($('by-denials').checked && !list.matches(':hover, :focus-within')) {
    ordered.last = [...policies].sort((a, b) => (b.denials ?? 0) - (a.denials ?? 0) || byName(a, b)).map(one => one.name);
  }
  const position = name => (ordered.last ?? []).indexOf(name);
  return [...policies].sort((a, b) => $('by-denials').checked && position(a.name) - position(b.name) || byName(a, b));
}

function showPolicies() {
  const list = $('policies');
  const all = [undefined, ...ordered()];
  if (list.children.length !== all.length) {
    list.replaceChildren(...all.map(() => element('li', {}, element('button', {}, element('span'), element('small')))));
  }
  $('filter').hidden = policies.length <= FEW_POLICIES;
  const wanted = $('filter').value.trim().toLowerCase();
  const matches = one => !one && !wanted || one?.name.toLowerCase().includes(wanted);
  all.forEach((one, i) => {
    list.children[i].hidden = !matches(one);
    const button = list.children[i].firstChild;
    button.firstChild.textContent = one ? one.name : 'All policies';
    button.lastChild.textContent = one ? summary(one) : 'denied most';
    button.ariaCurrent = one?.name === policy?.name ? 'true' : null;
    button.onclick = () => go(one?.name);
  });
  $('no-match').hidden = all.some(matches);
  $('no-match').textContent = policies.length ? 'No match.' : 'No policy is configured.';
}

/** The limits of a policy, and what is unusual. */
const summary = one => [limitsText(one.limits), one.denials === null ? 'denials unknown' : one.denials && counted(one.denials, 'denial'),
  one.blocked && one.blocked + ' blocked', one.override && 'overridden',
  one.overrides.length && counted(one.overrides.length, 'override'),
  (one.shadow || one.mode === 'shadow') && 'shadow mode', one.enabled ? '' : 'disabled'].filter(Boolean).join(' · ');

function choose(one) {
  policy = one;
  key = undefined;
  state = undefined;
  $('details').hidden = false;
  $('overview').hidden = one !== undefined;
  $('of-policy').hidden = one === undefined;
  $('state').hidden = true;
  forget('key', 'denied', 'blocked', 'most-denied');
  showMessage(false);
  showTitle();
  showPolicies();
  (one ? [denied, blocked, overrides] : [hottest]).forEach(list => list.load());
  if (one) {
    showParts();
    showPolicy();
  }
  run(loadLists);
}

/** Fields for the parts of the key. */
function showParts() {
  // permits of a concurrency limit belong to a running call
  $('acquire-form').hidden = !acquires || Object.values(policy.limits).some(limit => limit.algorithm === 'concurrency');
  const required = policy.key.map(label => [label, true]);
  const optional = Array.from({length: policy.keyArguments},
    (_, i) => [`Argument ${i + 1} (@RateLimitKey)`, policy.key.length === 0 && i === 0]);
  $('parts').replaceChildren(...[...required, ...optional].map(([label, needed], i) => element('label', {},
    label === 'key' ? 'Key' : label,
    element('input', {id: 'part-' + i, required: needed, autocomplete: 'off', spellcheck: false, autocapitalize: 'none'}))));
}

const inputs = () => [...$('parts').querySelectorAll('input')];
const fillIn = values => inputs().forEach((input, i) => input.value = values[i] ?? '');

function showPolicy() {
  const {override, shadow, penalty} = policy;
  $('policy-title').textContent = policy.name;
  $('policy-badges').replaceChildren(...[
    policy.enabled ? '' : badge('disabled', 'warn'),
    policy.mode === 'shadow' ? badge('shadow mode', 'warn') : '',
    shadow ? badge('shadow mode ' + until(shadow) + changed(shadow), 'warn') : '',
    override ? badge('overridden ' + until(override) + changed(override), 'warn') : ''].filter(Boolean));
  $('limits').replaceChildren(...Object.entries(policy.limits).map(([name, limit]) => element('li', {},
    named(policy.limits) ? name + ': ' : '', limitText(limit), asConfigured(name, limit),
    element('small', {textContent: ` ${limit.algorithm}${limit.maxWait ? ', waits up to ' + time(seconds(limit.maxWait)) : ''}`}))));
  const payers = chain(policy).slice(1);
  const payees = policies.filter(one => one.overflow === policy.name);
  showText($('rules'), ...[
    penalty && `Blocks a key for ${configured(penalty.block)} after ${counted(penalty.after, 'denial')} within ${configured(penalty.within)}`
      + (penalty.maxBlock === penalty.block ? '.' : `, later up to ${configured(penalty.maxBlock)}.`),
    payers.length && ['Chain: ' + policy.name, ...payers.flatMap(one => [' > ', link(one)]),
      '. The first that allows a call pays for it.'],
    payees.length && ['Overflow of ', ...payees.flatMap((one, i) => [i ? ', ' : '', link(one)]), ': pays for calls that '
      + (payees.length > 1 ? 'they deny.' : 'it denies.')],
    `While Redis is unavailable: ${{local: 'counts on each instance', allow: 'allows all calls', deny: 'denies all calls'}[policy.onRedisFailure]}.`,
  ].filter(Boolean).map(parts => element('li', {}, ...[parts].flat())));
  const uses = [...policy.methods, ...policy.routes.map(one => `route ${one.name}: ${[...one.methods, ...one.paths].join(' ')}`
    + (one.except.length ? ' except ' + one.except.join(' ') : ''))];
  $('uses-summary').textContent = uses.length
    ? `Used by ${counted(policy.methods.length, 'method')} and ${counted(policy.routes.length, 'route')}`
    : 'Used by code only';
  if ($('uses-list').children.length !== uses.length) {
    $('uses-list').replaceChildren(...uses.map(use => element('li', {}, element('code', {textContent: use}))));
  }
  $('policy-remove').hidden = !override;
  $('shadow').hidden = policy.mode === 'shadow' || shadow !== undefined;
  $('enforce').hidden = !shadow;
  $('overrides-section').hidden = !policy.overrides.length;
  overrides.update(policy.overrides);
}

/** A policy and its overflows, in the order in which they are asked. */
const chain = one => one ? [one, ...chain(policies.find(other => other.name === one.overflow))] : [];
const link = ({name}) => element('a', {href: address(name), textContent: name, onclick: () => $('policy-title').focus()});

const asConfigured = (name, limit) => limitText(policy.configured[name]) === limitText(limit) ? ''
  : `, configured ${limitText(policy.configured[name])}`;

/* ---- one key ---- */

async function loadState() {
  if (!key) {
    return;
  }
  const path = keyPath(key);
  const loaded = await read('key', path);
  if (loaded && key && keyPath(key) === path) {
    state = loaded;
    showState();
  }
}

const isBlocked = () => ['paused', 'blocked'].includes(state.denialReason) || inShadow() && blockOf(state) !== undefined;

/** What the key may do, in words. */
function stateText() {
  if (inShadow()) {
    // a policy in shadow mode allows every call
    const wait = Math.max(0, ...Object.values(state.limits).map(limit => limit.retryAfter));
    return wait ? [`would be ${blockOf(state) ? 'blocked' : 'denied'} ${until({timeLeft: wait})}`, 'warn']
      : ['would be allowed', 'good'];
  }
  const wait = state.retryAfter ? ' ' + until({timeLeft: state.retryAfter}) : '';
  return state.allowed ? ['allowed', 'good']
    : [(isBlocked() ? state.denialReason : 'denied') + wait + changed(state.block), 'bad'];
}

function showState() {
  $('state').hidden = false;
  showText($('state-key'), shownKey());
  $('state-badges').replaceChildren(badge(...stateText()),
    ...(state.source === 'fallback' ? [badge('Redis is unavailable', 'warn')] : []),
    ...(state.source === 'not-limited' ? [badge('not limited', 'warn')] : []));
  const list = $('state-limits');
  // while a key is blocked, nothing is left of any limit
  list.hidden = isBlocked();
  const limits = Object.entries(state.limits);
  if (list.children.length !== limits.length) {
    list.replaceChildren(...limits.map(() => element('li', {},
      element('div', {className: 'line'}, element('span'), element('small', {className: 'quiet'})), element('progress'))));
  }
  limits.forEach(([name, limit], i) => {
    const [line, bar] = list.children[i].children;
    line.firstChild.textContent = `${named(state.limits) ? name + ': ' : ''}${limit.remaining} of ${limit.capacity} left`;
    line.lastChild.textContent = limitText(limit) + (limit.resetAfter ? `, full in ${time(limit.resetAfter)}` : '');
    bar.max = limit.capacity;
    bar.value = limit.remaining;
    bar.setAttribute('aria-label', line.firstChild.textContent);
  });
  $('state-override').textContent = state.override
    ? `Overridden ${until(state.override)}${changed(state.override)}: ${limitsText(state.override.limits, policy.limits)}` : '';
  $('remove').hidden = !state.override;
  $('block').hidden = isBlocked();
  $('unblock').hidden = !isBlocked();
  $('copy-digest').hidden = !hasDigest(state.key);
  showDigests();
}

async function lookUp(wanted) {
  key = undefined;
  state = undefined;
  $('state').hidden = true;
  if (wanted.some(value => value === '.' || value === '..')) {
    throw new Error('Browsers cannot send this value. Use curl --path-as-is.');
  }
  const name = policy.name;
  const found = await send('GET', keyPath(wanted));
  if (policy?.name !== name) {
    return;
  }
  solved('key');
  key = wanted;
  state = found;
  showState();
  // the address has a digest in place of a secret
  history.replaceState(null, '', address(name, state.values ?? wanted));
  const left = isBlocked() ? [] : Object.entries(state.limits)
    .map(([limit, one]) => `${named(state.limits) ? limit + ': ' : ''}${one.remaining} of ${one.capacity} left`);
  showMessage(false, isolated(shortened(state.key)), ': ' + [stateText()[0], ...left].join(', ') + '.');
}

/* ---- lists of keys ---- */

const blockText = one => `${inShadow() ? 'would be ' : ''}${one.denialReason} ${until(one)}${changed(one)}`;
const blockOf = one => blocked.all?.find(other => other.key === one.key);
/** Buttons act on what can be given in place of the key. */
const buttons = (one, ...others) => one.values ? [['Look up', () => lookUpRow(one)], ...others] : [];

const hottest = new KeyList('hottest', 'most-denied', 'No key was denied.', one => ({
  text: `${counted(one.denials, 'denial')} by ${one.policy}`, buttons: buttons(one, ['Block…', () => openBlocking(row(one))])}));
const denied = new KeyList('denied', 'denied', 'No key was denied.', one => ({
  text: counted(one.denials, 'denial') + (blockOf(one) ? ', ' + blockText(blockOf(one)) : ''),
  buttons: buttons(one, blockOf(one) ? ['Unblock…', () => openUnblocking(row(one))] : ['Block…', () => openBlocking(row(one))])}));
const blocked = new KeyList('blocked', 'blocked', 'No key is blocked.', one => ({
  text: blockText(one), buttons: buttons(one, ['Unblock…', () => openUnblocking(row(one))])}));
const overrides = new KeyList('overrides', 'policies', '', one => ({
  text: `${limitsText(one.limits, policy.limits)}, ${until(one)}${changed(one)}`,
  buttons: buttons(one, ['Remove…', () => openRemoval(row(one))])}));

/** The path of the key of a row, and how the key is shown. */
const row = one => ({path: keyPath(one.values, one.policy), shown: shortened(one.key) || 'all callers'});

/** Each list by itself, so that one that cannot be read does not hide another. */
async function loadLists() {
  if (!policy) {
    await loadList(hottest, 'most-denied', 'most-denied?count=100');
    return;
  }
  await Promise.all([loadList(blocked, 'blocked', policyPath() + '/blocked'),
    loadList(denied, 'denied', policyPath() + '/most-denied?count=100')]);
  // also shows which keys are blocked
  denied.show();
  $('unblock-all').hidden = !blocked.all?.length;
  if (state) {
    showState();
  }
  showDigests();
}

async function loadList(list, part, path) {
  const name = policy?.name;
  const loaded = await read(part, path);
  if (policy?.name === name) {
    list.update(loaded?.keys);
  }
}

function lookUpRow(one) {
  go(one.policy ?? policy.name, one.values);
  $('key-title').focus();
}

/** Explains digests where there are any. */
function showDigests() {
  $('digests').hidden = !hasDigest($('details').textContent.replace($('digests').textContent, ''));
}

/* ---- changes ---- */

const refresh = () => Promise.all([loadPolicies(), loadState(), loadLists()]);
const deletion = path => () => ({method: 'DELETE', path});
const duration = elements => elements.duration.value.trim();

function openOverride(shown, limits, override, path) {
  openDialog({
    title: 'Override limits', text: ['The override applies to ', isolated(shown), ', on all instances. Permits in use stay in use. Configured: '
      + limitsText(policy.configured) + '.'],
    fields: [...limitFields(limits), overrideDuration(override)], button: 'Override',
    request: elements => ({method: 'PUT', path: path + '/override', body: overrideBody(elements, limits, override)}),
    done: ['Overrode the limits of ', isolated(shortened(shown)), '.'], after: refresh,
  });
}

// a digest is shown after the value that was typed, so that people can check it
const shownKey = () => !state.key ? 'all callers'
  : hasDigest(state.key) && key.join() !== state.values?.join() ? `${key.join(', ')} (${state.key})` : state.key;
/** The same for the key that was looked up. */
const shownTarget = () => ({path: keyPath(key), shown: shownKey()});
const openUnblocking = ({path, shown}) => openDialog({title: 'Unblock key',
  text: [isolated(shown), ' is allowed again, within its limits.'], button: 'Unblock', request: deletion(path + '/block'),
  done: ['Unblocked ', isolated(shortened(shown)), '.'], after: refresh});
const openRemoval = ({path, shown}) => openDialog({title: 'Remove override',
  text: [isolated(shown), ' gets the limits of all other callers: ' + limitsText(policy.limits) + '.'], button: 'Remove',
  request: deletion(path + '/override'), done: ['Removed the override of ', isolated(shortened(shown)), '.'], after: refresh});

function openBlocking({path, shown}) {
  const effect = policy && inShadow() ? ' would be denied, if the policy were not in shadow mode.'
    : ' are denied, on all instances.';
  openDialog({title: 'Block key', text: ['All calls of ', isolated(shown), effect], fields: [durationField('10m')],
    button: 'Block', request: elements => ({method: 'PUT', path: path + '/block', body: {duration: duration(elements)}}),
    done: ['Blocked ', isolated(shortened(shown)), '.'], after: refresh});
}

$('policy-override').onclick = () => openOverride('all callers of ' + policy.name, policy.limits, policy.override, policyPath());
$('policy-remove').onclick = () => openDialog({title: 'Remove override',
  text: [`All callers of ${policy.name} get the configured limits: ${limitsText(policy.configured)}.`], button: 'Remove',
  request: deletion(policyPath() + '/override'), done: ['Removed the override for all callers.'], after: refresh});
$('shadow').onclick = () => openDialog({title: 'Shadow mode',
  text: [`${policy.name} counts and reports until then, but denies nobody, on all instances.`], fields: [durationField('1h')],
  button: 'Deny nobody', request: elements => ({method: 'PUT', path: policyPath() + '/shadow', body: {duration: duration(elements)}}),
  done: [`${policy.name} denies nobody.`], after: refresh});
$('enforce').onclick = () => openDialog({title: 'Enforce', text: [`${policy.name} denies calls again, on all instances.`],
  button: 'Enforce', request: deletion(policyPath() + '/shadow'), done: [`${policy.name} denies calls again.`], after: refresh});
$('unblock-all').onclick = () => openDialog({title: 'Unblock all keys',
  text: [`All ${blocked.all.length} keys that ${policy.name} blocks are allowed again, within their limits.`], button: 'Unblock all',
  request: deletion(policyPath() + '/blocked'), done: [`Unblocked all keys of ${policy.name}.`], after: refresh});
$('reset').onclick = () => openDialog({title: 'Reset key', text: [isolated(shownKey()), ' gets all its permits back.'],
  button: 'Reset', request: deletion(keyPath(key)), done: ['Reset ', isolated(shortened(shownKey())), '.'], after: refresh});
$('override').onclick = () => openOverride(shownKey(), Object.keys(state.limits).length ? state.limits : policy.limits,
  state.override, keyPath(key));
$('remove').onclick = () => openRemoval(shownTarget());
$('unblock').onclick = () => openUnblocking(shownTarget());
$('block').onclick = () => openBlocking(shownTarget());
$('copy-key').onclick = () => copy(state.key, $('message'));
$('copy-digest').onclick = () => copy(state.values.join('/'), $('message'));

/* ---- events ---- */

async function run(work) {
  try {
    await work();
  } catch (failure) {
    if (isOutage(failure)) {
      failed('action', failure);
    } else {
      showMessage(true, failure.message);
    }
  }
}

$('filter').oninput = showPolicies;
$('by-denials').onchange = showPolicies;
$('skip').onclick = event => {
  event.preventDefault();
  (policy ? $('part-0') ?? $('look-up') : $('hottest-title')).focus();
};
$('lookup').onsubmit = event => {
  event.preventDefault();
  const values = inputs().map(input => input.value.trim());
  while (values.length && !values.at(-1)) {
    values.pop();
  }
  history.pushState(null, '', address(policy.name));
  run(() => lookUp(values));
};
/** Names the policy that pays or denies, if it is an overflow. */
function decisionText({policy: told, allowed, remaining, retryAfter, denialReason, source}) {
  const other = told === policy.name ? '' : told;
  if (allowed) {
    return source === 'not-limited' ? `Allowed: ${other || 'the policy'} does not limit this key.`
      : `Allowed${other && ', paid by ' + other}: ${remaining} left.`;
  }
  switch (denialReason) {
    case 'cost-above-capacity':
      return 'Denied: this cost can never be allowed.';
    case 'blocked':
    case 'paused':
      return `Denied: ${denialReason} for another ${time(retryAfter)}.`;
    default:
      return `Denied${other && ' by ' + other}: ${remaining} left` + (retryAfter ? `, allowed in ${time(retryAfter)}.` : '.');
  }
}

$('acquire-form').onsubmit = event => {
  event.preventDefault();
  run(async () => {
    const decision = await send('POST', keyPath(key) + '?cost=' + encodeURIComponent($('cost').value.trim()));
    showMessage(!decision.allowed, decisionText(decision));
    await Promise.all([loadState(), loadLists()]);
  });
};
window.onpopstate = route;

/** Repeats work while the page is visible, never twice at the same time. */
function every(millis, work) {
  setTimeout(async () => {
    if (!document.hidden) {
      await run(work);
    }
    every(millis, work);
  }, millis);
}

run(loadPolicies);
every(STATE_MILLIS, loadState);
every(POLICIES_MILLIS, async () => {
  await loadPolicies();
  if (policies.length) {
    await loadLists();
  }
});
