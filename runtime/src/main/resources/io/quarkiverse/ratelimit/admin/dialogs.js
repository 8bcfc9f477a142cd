/* Confirmations of changes. */

import {$, configured, element, named, showMessage} from './text.js';
import {curl, send} from './requests.js';

const DURATION = /^(\d+|\d+(ms|s|m|h|d)|P(?!$)(\d+D)?(T(\d+H)?(\d+M)?([\d.]+S)?)?)$/i;
/** What a field accepts: a message, and a pattern where the page checks it. */
const FIELDS = {
  permits: ['Permits must be a whole number from 1 to 1 000 000 000.', /^[1-9]\d{0,9}$/],
  burst: ['Burst must be a whole number from 1 to 1 000 000 000.', /^([1-9]\d{0,9})?$/],
  period: ['The period must be a duration such as 90s, 1m or 1h, up to 366 days.', DURATION],
  duration: ['Write for how long, such as 30m or 1d, up to 366 days.', DURATION],
  reason: ['The reason must have at most 200 characters, and no control characters.', /^[^\u0000-\u001f\u007f-\u009f]{0,200}$/],
};

let dialog;

/**
 * Opens a dialog that confirms a change.
 *
 * @param text parts of the text; keys are isolated
 * @param request what the fields make of the request: method, path, body
 * @param done parts of the message after the change
 * @param after reads the page again
 */
export function openDialog({title, text, fields = [], button, request, done, after}) {
  const opener = document.activeElement;
  const heading = opener.closest('section')?.querySelector('[tabindex="-1"]') ?? $('policy-title');
  dialog = {request, done, after, opener, heading};
  $('dialog-title').textContent = title;
  $('dialog-text').replaceChildren(...text);
  $('dialog-fields').replaceChildren(...fields, element('div', {className: 'fields one-column'},
    field('Reason (optional)', 'reason', '', {maxLength: 200})));
  showError();
  $('confirm').textContent = button;
  $('confirm').disabled = false;
  $('copied').textContent = '';
  $('dialog').showModal();
  (fields.length ? $('dialog').querySelector('input') : $('confirm')).focus();
}

/** The method, the path and the body of the request that the fields make. */
function request() {
  const elements = $('dialog').querySelector('form').elements;
  const {method, path, body} = dialog.request(elements);
  const reason = elements.reason.value.trim();
  return method === 'DELETE' ? [method, path + (reason ? '?reason=' + encodeURIComponent(reason) : '')]
    : [method, path, reason ? {...body, reason} : body];
}

async function confirm(event) {
  event.preventDefault();
  if (!isValid()) {
    return;
  }
  $('confirm').disabled = true;
  try {
    await send(...request());
    $('dialog').close();
    showMessage(false, ...dialog.done);
    await dialog.after();
    returnFocus();
  } catch (failure) {
    $('confirm').disabled = false;
    explain(failure);
  }
}

/** To the button that opened the dialog, or to the heading of its section if the button is gone. */
function returnFocus() {
  const {opener, heading} = dialog;
  const isShown = opener.isConnected && opener.offsetParent !== null;
  (isShown ? opener : heading).focus();
}

function isValid() {
  const wrong = [...$('dialog-fields').querySelectorAll('input')].find(input => !input.disabled
    && FIELDS[kind(input)] && !FIELDS[kind(input)][1].test(input.value.trim()));
  showError(wrong && FIELDS[kind(wrong)][0], wrong);
  return !wrong;
}

const kind = input => input.name.split('.')[0];

/** Shows what the application has found, at the field that it names. */
function explain(failure) {
  const [, limit, property] = failure.message.match(/^(?:limits\.([\w-]+)\.)?(permits|period|burst|duration|reason)\b/)
    ?? (/^The time of/.test(failure.message) ? [, , 'duration'] : []);
  const name = property === 'duration' || property === 'reason' ? property : `${property}.${limit}`;
  const input = property && [...$('dialog-fields').querySelectorAll('input')].find(one => one.name === name);
  showError(input ? FIELDS[property][0] : failure.message, input);
  if (!input) {
    $('confirm').focus();
  }
}

/** @param input to which the error belongs */
function showError(text = '', input = undefined) {
  $('dialog-fields').querySelectorAll('[aria-invalid]').forEach(one => {
    one.removeAttribute('aria-invalid');
    one.removeAttribute('aria-describedby');
  });
  $('dialog-error').textContent = text;
  if (input) {
    input.setAttribute('aria-invalid', 'true');
    input.setAttribute('aria-describedby', 'dialog-error');
    input.focus();
  }
}

export async function copy(text, status) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // without HTTPS, or where the browser does not permit it
    const area = element('textarea', {value: text, className: 'unseen'});
    (document.querySelector('dialog[open]') ?? document.body).append(area);
    const focused = document.activeElement;
    area.select();
    document.execCommand('copy');
    area.remove();
    focused.focus();
  }
  status.textContent = 'Copied.';
}

/* ---- fields ---- */

export const field = (label, name, value, properties = {}) => element('label', {}, label,
  element('input', {name, value, autocomplete: 'off', ...properties}));

export const durationField = (value, properties = {}) => element('div', {className: 'fields one-column'},
  field('For how long, such as 30m or 1d', 'duration', value, properties));

/** A duration, or until the override is removed. */
export function overrideDuration(override) {
  const forever = override !== undefined && override.timeLeft === undefined;
  const fields = durationField('1h', {disabled: forever});
  fields.append(element('label', {className: 'choice'}, element('input', {type: 'checkbox', name: 'forever', checked: forever,
    onchange: event => fields.querySelector('[name=duration]').disabled = event.target.checked}), 'Until it is removed'));
  return fields;
}

/** Fields for the numbers of each limit, with those in force. */
export const limitFields = limits => Object.entries(limits).map(([name, limit]) => element('fieldset', {},
  element('legend', {textContent: named(limits) ? name : 'Limit'}),
  element('div', {className: 'fields'},
    field('Permits', 'permits.' + name, limit.permits, {inputMode: 'numeric'}),
    ...(limit.period ? [field('Period', 'period.' + name, configured(limit.period))] : []),
    ...(limit.algorithm === 'token-bucket'
      ? [field('Burst', 'burst.' + name, burstText(limit), {inputMode: 'numeric', placeholder: 'as permits'})] : []))));

const burstText = limit => limit.burst === limit.permits ? '' : String(limit.burst);

/** The limits that are changed, and those that are overridden already. */
export function overrideBody(elements, limits, override) {
  const body = {limits: {}};
  for (const [name, limit] of Object.entries(limits)) {
    const permits = elements['permits.' + name].value.trim();
    const period = elements['period.' + name]?.value.trim();
    const burst = elements['burst.' + name]?.value.trim();
    const isChanged = permits !== String(limit.permits) || period && period !== configured(limit.period)
      || burst !== undefined && burst !== burstText(limit);
    if (isChanged || override?.limits[name]) {
      body.limits[name] = {permits: Number(permits), ...(period && {period}), ...(burst && {burst: Number(burst)})};
    }
  }
  return elements.forever.checked ? body : {...body, duration: elements.duration.value.trim()};
}

$('cancel').onclick = () => $('dialog').close();
$('copy-curl').onclick = () => copy(curl(...request()), $('copied'));
$('dialog').querySelector('form').onsubmit = confirm;
$('dialog').querySelector('form').noValidate = true;
