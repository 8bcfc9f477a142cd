/* Texts and elements. Texts are never parsed as HTML. */

export const $ = id => document.getElementById(id);

const ONE = {1: 'second', 60: 'minute', 3600: 'hour', 86400: 'day'};
const UNITS = [['d', 86400], ['h', 3600], ['min', 60], ['s', 1]];
const CLOCK = new Intl.DateTimeFormat('en-GB', {hour: '2-digit', minute: '2-digit', timeZoneName: 'short'});
const DATE = new Intl.DateTimeFormat('en-GB', {day: 'numeric', month: 'short', year: 'numeric'});

/** Seconds in the two largest units. */
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

/** A time of the day with its zone, and the date unless it is today. */
export function clock(date) {
  const today = DATE.format(date) === DATE.format(new Date());
  return (today ? '' : DATE.format(date) + ', ') + CLOCK.format(date);
}

const end = seconds => clock(new Date(Date.now() + seconds * 1000));
export const until = one => one.timeLeft === undefined ? 'until removed'
  : `for another ${time(one.timeLeft)}, until ${end(one.timeLeft)}`;

/** Who has changed something, when and why; empty for a change by code. */
export const changed = one => one?.changedAt === undefined ? ''
  : `, by ${one.changedBy || 'an operator'} at ${clock(new Date(one.changedAt))}${one.reason ? ': ' + one.reason : ''}`;

/** An ISO 8601 duration in seconds. */
export function seconds(iso) {
  const [, hours, minutes, secs] = iso.match(/^PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/);
  return (hours ?? 0) * 3600 + (minutes ?? 0) * 60 + Number(secs ?? 0);
}

/** A duration as in the configuration. */
export function configured(iso) {
  const total = seconds(iso);
  const unit = [['d', 86400], ['h', 3600], ['m', 60], ['s', 1]].find(([, size]) => total % size === 0);
  return unit ? total / unit[1] + unit[0] : Math.round(total * 1000) + 'ms';
}

export function limitText(limit) {
  const per = limit.calendar ? ` per ${limit.calendar} (${limit.zone})`
    : limit.period ? ` per ${ONE[seconds(limit.period)] ?? time(seconds(limit.period))}` : ' at the same time';
  const burst = limit.burst && limit.burst !== limit.permits ? `, burst ${limit.burst}` : '';
  return `${limit.permits}${per}${burst}`;
}

export const named = limits => Object.keys(limits).length > 1;
/** With the names of limits, unless the policy has only one. */
export const limitsText = (limits, ofPolicy = limits) => Object.entries(limits)
  .map(([name, limit]) => (named(ofPolicy) ? name + ': ' : '') + limitText(limit)).join('; ');

export const counted = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`;
export const hasDigest = key => key.includes('*');
/** A text in which digests are shortened. */
export const shortened = text => text.replace(/[0-9a-f]{64}/g, digest => digest.slice(0, 8) + '…' + digest.slice(-4));

export function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

export const badge = (text, kind = '') => element('span', {className: 'badge ' + kind, textContent: text});
/** A key, isolated, so that its characters do not turn the text around it. */
export const isolated = text => element('bdi', {textContent: text || 'all callers'});

/** Sets a text with isolated keys, only if it differs, so that it is announced once. */
export function showText(target, ...parts) {
  const shown = element('span', {}, ...parts);
  if (target.innerHTML !== shown.innerHTML) {
    target.replaceChildren(...shown.childNodes);
  }
}

/** Shows the result of an action, until the next one. */
export function showMessage(failed, ...parts) {
  showText($('message'), ...parts);
  $('message').classList.toggle('failed', failed);
}
