'use strict';

const STATE_MILLIS = 1000;
const POLICIES_MILLIS = 5000;
/** With more policies, they can be filtered. */
const FEW_POLICIES = 10;
const $ = id => document.getElementById(id);

let policies = [];
let policy;
/** The values of the key that is shown; or undefined. */
let key;
let state;
let blocked = [];
/** Whether the page can acquire: only in dev mode. */
let acquires = false;

/* ---- requests ---- */

async function send(method, path, body) {
  let response;
  try {
    // the address of the page may contain a user and a password, which fetch does not accept
    response = await fetch(new URL(path, location.origin + location.pathname), {
      method,
      headers: body ? {'Content-Type': 'application/json'} : {},
      body: body ? JSON.stringify(body) : undefined,
    });
  } catch {
    throw new Error('The application does not respond.');
  }
  if (response.ok) {
    return response.status === 204 ? undefined : response.json();
  }
  const problem = await response.json().catch(() => ({}));
  throw new Error(problem.detail ?? `The application responds with status ${response.status}.`);
}

/** A value that is the name of an operation needs an escaped letter. */
const escaped = value => ['override', 'block'].includes(value)
  ? '%' + value.charCodeAt(0).toString(16) + value.slice(1) : encodeURIComponent(value);
const policyPath = () => 'policies/' + policy.name;
const keyPath = values => [policyPath() + '/keys', ...values.map(escaped)].join('/');

/* ---- text ---- */

const ONE = {1: 'second', 60: 'minute', 3600: 'hour', 86400: 'day'};
const UNITS = [['d', 86400], ['h', 3600], ['min', 60], ['s', 1]];

/** Seconds in the two largest units. */
function time(seconds) {
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

/** An ISO 8601 duration in seconds. */
function seconds(iso) {
  const [, hours, minutes, secs] = iso.match(/^PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/);
  return (hours ?? 0) * 3600 + (minutes ?? 0) * 60 + Number(secs ?? 0);
}

/** A duration as in the configuration. */
function configured(iso) {
  const total = seconds(iso);
  const unit = [['d', 86400], ['h', 3600], ['m', 60], ['s', 1]].find(([, size]) => total % size === 0);
  return unit ? total / unit[1] + unit[0] : Math.round(total * 1000) + 'ms';
}

function limitText(limit) {
  const per = limit.calendar ? ` per ${limit.calendar} (${limit.zone})`
    : limit.period ? ` per ${ONE[seconds(limit.period)] ?? time(seconds(limit.period))}` : ' at the same time';
  const burst = limit.burst && limit.burst !== limit.permits ? `, burst ${limit.burst}` : '';
  return `${limit.permits}${per}${burst}`;
}

const named = limits => Object.keys(limits).length > 1;
/** With the names of limits, unless the policy has only one. */
const limitsText = (limits, ofPolicy = policy.limits) => Object.entries(limits)
  .map(([name, limit]) => (named(ofPolicy) ? name + ': ' : '') + limitText(limit)).join('; ');
const digests = key => key.includes('*');
/** A text in which digests are shortened. */
const shortened = text => text.replace(/[0-9a-f]{64}/g, digest => digest.slice(0, 8) + '…' + digest.slice(-4));
const short = key => shortened(key) || 'all callers';
const until = override => override.timeLeft === undefined ? 'until removed' : `for another ${time(override.timeLeft)}`;

/* ---- elements; texts are never parsed as HTML ---- */

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

const badge = (text, kind = '') => element('span', {className: 'badge ' + kind, textContent: text});

function showMessage(text, failed = false) {
  $('message').textContent = shortened(text);
  $('message').classList.toggle('failed', failed);
}

/* ---- policies ---- */

async function loadPolicies() {
  ({policies, acquire: acquires = false} = await send('GET', 'policies'));
  if (policies.length) {
    const shown = policies.find(one => one.name === policy?.name);
    if (shown) {
      policy = shown;
      showPolicy();
    } else {
      choose(policies[0]);
    }
  }
  showPolicies();
}

function showPolicies() {
  const list = $('policies');
  if (list.children.length !== policies.length) {
    list.replaceChildren(...policies.map(() => element('li', {}, element('button', {}, '', element('small')))));
  }
  $('filter').hidden = policies.length <= FEW_POLICIES;
  const wanted = $('filter').value.trim();
  policies.forEach((one, i) => {
    list.children[i].hidden = !one.name.includes(wanted);
    const button = list.children[i].firstChild;
    button.firstChild.textContent = one.name;
    button.lastChild.textContent = limitsText(one.limits, one.limits);
    button.ariaCurrent = one === policy ? 'true' : null;
    button.onclick = () => choose(one);
  });
  if (!policies.length) {
    list.replaceChildren(element('li', {className: 'quiet', textContent: 'No policy is configured.'}));
  }
}

function choose(one) {
  policy = one;
  // permits of a concurrency limit belong to a running call
  $('acquire-form').hidden = !acquires || Object.values(one.limits).some(limit => limit.algorithm === 'concurrency');
  key = undefined;
  state = undefined;
  $('details').hidden = false;
  $('state').hidden = true;
  const required = one.key.map(label => [label, true]);
  const optional = Array.from({length: one.keyArguments}, (_, i) => [`Argument ${i + 1} (@RateLimitKey)`, one.key.length === 0 && i === 0]);
  $('parts').replaceChildren(...[...required, ...optional].map(([label, needed], i) => element('label', {},
    label === 'key' ? 'Key' : label,
    element('input', {id: 'part-' + i, required: needed, autocomplete: 'off', spellcheck: false, autocapitalize: 'none'}))));
  showPolicies();
  showPolicy();
  showLists([], []);
  loadLists().catch(failure => showMessage(failure.message, true));
  showMessage('');
}

const overrideForAll = () => policy.overrides.find(override => override.key === undefined);

function showPolicy() {
  const forAll = overrideForAll();
  $('policy-title').textContent = policy.name;
  $('policy-badges').replaceChildren(...[
    policy.enabled ? '' : badge('disabled', 'warn'),
    policy.mode === 'shadow' ? badge('shadow mode', 'warn') : '',
    forAll ? badge('overridden ' + until(forAll), 'warn') : ''].filter(Boolean));
  $('limits').replaceChildren(...Object.entries(policy.limits).map(([name, limit]) => element('li', {},
    named(policy.limits) ? name + ': ' : '', limitText(limit),
    element('small', {textContent: ` ${limit.algorithm}${limit.maxWait ? ', waits up to ' + time(seconds(limit.maxWait)) : ''}`}))));
  $('policy-remove').hidden = !forAll;
  const ofKeys = policy.overrides.filter(override => override.key !== undefined);
  $('overrides-section').hidden = !ofKeys.length;
  showRows('overrides', ofKeys, override => `${limitsText(override.limits)}, ${until(override)}`,
    override => [['Remove…', () => openRemoval(row(override))]]);
}

/* ---- one key ---- */

async function loadState() {
  if (!key) {
    return;
  }
  const path = keyPath(key);
  const loaded = await send('GET', path);
  if (key && keyPath(key) === path) {
    state = loaded;
    showState();
  }
}

function showState() {
  const isPaused = state.denialReason === 'paused';
  const isBlocked = isPaused || state.denialReason === 'blocked' || policy.mode === 'shadow' && blockOf(state) !== undefined;
  $('state').hidden = false;
  $('state-key').textContent = shownKey();
  $('state-badges').replaceChildren(policy.mode === 'shadow' ? shadowBadge()
    : isBlocked ? badge(`${isPaused ? 'paused' : 'blocked'} for another ${time(state.retryAfter)}`, 'bad')
      : state.allowed ? badge('allowed', 'good')
        : badge(state.retryAfter ? `denied for another ${time(state.retryAfter)}` : 'denied', 'bad'),
    ...(state.source === 'fallback' ? [badge('Redis is unavailable', 'warn')] : []),
    ...(state.source === 'not-limited' ? [badge('not limited', 'warn')] : []));
  const list = $('state-limits');
  // while a key is blocked, nothing is left of any limit
  list.hidden = isBlocked;
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
    ? `Overridden ${until(state.override)}: ${limitsText(state.override.limits)}` : '';
  $('remove').hidden = !state.override;
  $('block').hidden = isBlocked;
  $('unblock').hidden = !isBlocked;
  showDigests();
}

/** A policy in shadow mode allows every call. */
function shadowBadge() {
  const wait = Math.max(0, ...Object.values(state.limits).map(limit => limit.retryAfter));
  return wait ? badge(`would be ${blockOf(state) ? 'blocked' : 'denied'} for another ${time(wait)}`, 'warn')
    : badge('would be allowed', 'good');
}

async function lookUp(wanted) {
  key = undefined;
  state = undefined;
  $('state').hidden = true;
  if (wanted.some(value => value === '.' || value === '..')) {
    throw new Error('Browsers cannot send this value. Use curl --path-as-is.');
  }
  key = wanted;
  try {
    await loadState();
  } catch (failure) {
    key = undefined;
    throw failure;
  }
  showMessage('');
}

/* ---- lists of keys ---- */

async function loadLists() {
  const name = policy.name;
  const [denied, blockedNow] = await Promise.all(['/most-denied', '/blocked'].map(list => send('GET', policyPath() + list)));
  if (policy.name === name) {
    showLists(denied.keys, blockedNow.keys);
  }
}

const blockOf = one => blocked.find(other => other.key === one.key);

function showLists(denied, blockedNow) {
  blocked = blockedNow;
  const blockText = one => `${policy.mode === 'shadow' ? 'would be ' : ''}${one.reason} for another ${time(one.timeLeft)}`;
  const unblock = one => [['Unblock…', () => openUnblocking(row(one))]];
  showRows('blocked', blocked, blockText, unblock);
  showRows('denied', denied, one => (one.denials === 1 ? '1 denial' : one.denials + ' denials')
    + (blockOf(one) ? ', ' + blockText(blockOf(one)) : ''), one => blockOf(one) ? unblock(one) : []);
  $('blocked-none').hidden = blocked.length > 0;
  $('denied-none').hidden = denied.length > 0;
  showDigests();
}

/** The path of the key of a row, and how the key is shown. */
const row = one => ({path: keyPath(one.values), shown: short(one.key)});

/** Shows keys, each with a text, and with the buttons that act on it. A key with a digest needs the value, so it has none. */
function showRows(id, all, text, buttons) {
  const {list, name} = document.activeElement.dataset;
  $(id).replaceChildren(...all.map(one => element('li', {},
    element('div', {}, element('code', {textContent: short(one.key), title: one.key}), element('small', {textContent: text(one)})),
    element('div', {className: 'buttons'},
      ...(one.values ? [['Look up', () => lookUpRow(one)], ...buttons(one)] : []).map(([label, onclick]) => {
        const button = element('button', {textContent: label, onclick});
        button.dataset.list = id;
        button.dataset.name = label + ' ' + one.key;
        button.setAttribute('aria-label', label + ' ' + short(one.key));
        return button;
      })))));
  if (list === id) {
    [...$(id).querySelectorAll('button')].find(button => button.dataset.name === name)?.focus();
  }
}

function lookUpRow(one) {
  $('parts').querySelectorAll('input').forEach((input, i) => input.value = one.values[i] ?? '');
  run(() => lookUp(one.values));
  $('key-title').scrollIntoView({block: 'start'});
}

/** Explains digests where there are any. */
function showDigests() {
  $('digests').hidden = !digests($('details').textContent.replace($('digests').textContent, ''));
}

/* ---- confirmations ---- */

let submitDialog;

/** Opens a form. {@code submit} gets its elements when it is confirmed. */
function openDialog({title, text, fields = [], button, submit}) {
  $('dialog-title').textContent = title;
  $('dialog-text').textContent = text;
  $('dialog-fields').replaceChildren(...fields);
  $('dialog-error').textContent = '';
  $('confirm').textContent = button;
  $('confirm').disabled = false;
  submitDialog = submit;
  $('dialog').showModal();
  (fields.length ? $('dialog').querySelector('input') : $('confirm')).focus();
}

async function confirm(event) {
  event.preventDefault();
  $('confirm').disabled = true;
  try {
    const message = await submitDialog(event.target.elements);
    $('dialog').close();
    showMessage(message);
    await refresh();
  } catch (failure) {
    $('dialog-error').textContent = failure.message;
  } finally {
    $('confirm').disabled = false;
  }
}

const field = (label, name, value, properties = {}) => element('label', {}, label,
  element('input', {name, value, autocomplete: 'off', ...properties}));

const durationField = (value, properties = {}) => element('div', {className: 'fields one-column'},
  field('For how long, such as 30m or 1d', 'duration', value, {required: true, ...properties}));

/** A duration, or until the override is removed. */
function overrideDuration(override) {
  const forever = override !== undefined && override.timeLeft === undefined;
  const fields = durationField('1h', {disabled: forever});
  fields.append(element('label', {className: 'choice'}, element('input', {type: 'checkbox', name: 'forever', checked: forever,
    onchange: event => fields.querySelector('[name=duration]').disabled = event.target.checked}), 'Until it is removed'));
  return fields;
}

/** Fields for the numbers of each limit, with those in force. */
const limitFields = limits => Object.entries(limits).map(([name, limit]) => element('fieldset', {},
  element('legend', {textContent: named(limits) ? name : 'Limit'}),
  element('div', {className: 'fields'},
    field('Permits', 'permits.' + name, limit.permits, {inputMode: 'numeric', required: true}),
    ...(limit.period ? [field('Period', 'period.' + name, configured(limit.period), {required: true})] : []),
    ...(limit.algorithm === 'token-bucket'
      ? [field('Burst', 'burst.' + name, burstText(limit), {inputMode: 'numeric', placeholder: 'as permits'})] : []))));

const burstText = limit => limit.burst === limit.permits ? '' : String(limit.burst);
const number = text => /^\d{1,15}$/.test(text) ? Number(text) : text;

/** The limits that are changed, and those that are overridden already. */
function overrideBody(elements, limits, override) {
  const body = {limits: {}};
  for (const [name, limit] of Object.entries(limits)) {
    const permits = elements['permits.' + name].value.trim();
    const period = elements['period.' + name]?.value.trim();
    const burst = elements['burst.' + name]?.value.trim();
    const changed = permits !== String(limit.permits) || period && period !== configured(limit.period)
      || burst !== undefined && burst !== burstText(limit);
    if (changed || override?.limits[name]) {
      body.limits[name] = {permits: number(permits), ...(period && {period}), ...(burst && {burst: number(burst)})};
    }
  }
  return elements.forever.checked ? body : {...body, duration: elements.duration.value.trim()};
}

function openOverride(callers, limits, override, path) {
  openDialog({
    title: 'Override limits', text: `The override applies to ${callers}, on all instances. Permits in use stay in use.`,
    fields: [...limitFields(limits), overrideDuration(override)], button: 'Override',
    submit: async elements => {
      await send('PUT', path + '/override', overrideBody(elements, limits, override));
      return `Overrode the limits of ${callers}.`;
    },
  });
}

// a digest is shown after the value that was typed, so that people can check it
const shownKey = () => !state.key ? 'all callers'
  : digests(state.key) ? `${key.join(', ')} (${state.key})` : state.key;
/** The same for the key that was looked up. */
const shownTarget = () => ({path: keyPath(key), shown: shownKey()});
const openDeletion = (title, text, button, path, done) => openDialog({title, text, button, submit: async () => {
  await send('DELETE', path);
  return done;
}});
const openUnblocking = ({path, shown}) => openDeletion('Unblock key', `${shown} is allowed again, within its limits.`, 'Unblock',
  path + '/block', `Unblocked ${shown}.`);
const openRemoval = ({path, shown}) => openDeletion('Remove override', `${shown} gets the limits of all other callers.`, 'Remove',
  path + '/override', `Removed the override of ${shown}.`);

/* ---- events ---- */

async function run(work) {
  try {
    await work();
  } catch (failure) {
    showMessage(failure.message, true);
  }
}

const refresh = () => run(() => Promise.all([loadPolicies(), loadState(), loadLists()]));

$('filter').oninput = showPolicies;
$('lookup').onsubmit = event => {
  event.preventDefault();
  const values = [...$('parts').querySelectorAll('input')].map(input => input.value.trim());
  while (values.length && !values.at(-1)) {
    values.pop();
  }
  run(() => lookUp(values));
};
$('policy-override').onclick = () => openOverride('all callers of ' + policy.name, policy.limits, overrideForAll(), policyPath());
$('policy-remove').onclick = () => openDeletion('Remove override', `All callers of ${policy.name} get the configured limits.`,
  'Remove', policyPath() + '/override', 'Removed the override for all callers.');
$('acquire-form').onsubmit = event => {
  event.preventDefault();
  run(async () => {
    const {allowed, remaining, retryAfter, source} = await send('POST', keyPath(key) + '?cost=' + encodeURIComponent($('cost').value.trim()));
    showMessage(source === 'not-limited' ? 'Allowed: the policy does not limit this key.'
      : allowed ? `Allowed: ${remaining} left.`
        : `Denied: ${remaining} left` + (retryAfter ? `, allowed in ${time(retryAfter)}.` : '.'), !allowed);
    await Promise.all([loadState(), loadLists()]);
  });
};
$('reset').onclick = () => openDeletion('Reset key', `${shownKey()} gets all its permits back.`, 'Reset', keyPath(key),
  `Reset ${shownKey()}.`);
$('override').onclick = () => openOverride(shownKey(), Object.keys(state.limits).length ? state.limits : policy.limits,
  state.override, keyPath(key));
$('remove').onclick = () => openRemoval(shownTarget());
$('unblock').onclick = () => openUnblocking(shownTarget());
$('block').onclick = () => {
  const path = keyPath(key) + '/block';
  const shown = shownKey();
  const effect = policy.mode === 'shadow' ? 'would be denied, if the policy were not in shadow mode' : 'are denied, on all instances';
  openDialog({title: 'Block key', text: `All calls of ${shown} ${effect}.`, fields: [durationField('10m')],
    button: 'Block', submit: async elements => {
      await send('PUT', path, {duration: elements.duration.value.trim()});
      return `Blocked ${shown}.`;
    }});
};
$('cancel').onclick = () => $('dialog').close();
$('dialog').querySelector('form').onsubmit = confirm;

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
  if (policy) {
    await loadLists();
  }
});
