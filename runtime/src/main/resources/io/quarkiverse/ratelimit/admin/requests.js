/* Requests to the application, and the line that shows whether what the page shows is up to date. */

import {$, clock, element, showText} from './text.js';

/** A request that failed. The status is 0 without a response. */
class Failure extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

const EXPIRED = 401;
/** What is wrong, by the part of the page that cannot be read. */
const problems = new Map();
let updated;

export async function send(method, path, body) {
  let response;
  try {
    response = await fetch(address(path), {
      method,
      // a redirection leads to a login
      redirect: 'manual',
      headers: body ? {'Content-Type': 'application/json'} : {},
      body: body ? JSON.stringify(body) : undefined,
    });
  } catch {
    throw new Failure('The application does not respond.', 0);
  }
  const isJson = /json/.test(response.headers.get('Content-Type') ?? '');
  if (response.type === 'opaqueredirect' || response.status === EXPIRED || response.ok && response.status !== 204 && !isJson) {
    throw new Failure('Your login has expired.', EXPIRED);
  }
  if (response.ok) {
    return response.status === 204 ? undefined : response.json();
  }
  const problem = await response.json().catch(() => ({}));
  throw new Failure(problem.detail ?? `The application responds with status ${response.status}.`, response.status);
}

/** The address of the page may contain a user and a password, which fetch does not accept. */
const address = path => new URL(path, location.origin + location.pathname);

const quoted = text => "'" + text.replaceAll("'", "'\\''") + "'";
/** The same request for a shell. */
export const curl = (method, path, body) => `curl -sS --fail-with-body -u "$OPERATOR" -X ${method} ${quoted(String(address(path)))}`
  + (body ? ` -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}` : '');

/** Reads a part of the page, and shows what is wrong until it can be read again. Returns undefined if it cannot be read. */
export async function read(part, path) {
  try {
    const result = await send('GET', path);
    solved(part);
    return result;
  } catch (failure) {
    failed(part, failure);
    return undefined;
  }
}

export function failed(part, failure) {
  problems.set(part, {failure, since: problems.get(part)?.since ?? new Date()});
  showStatus();
}

export function solved(part) {
  updated = new Date();
  forget(part);
}

/** Forgets the problems of parts that are not shown any more. */
export function forget(...parts) {
  parts.forEach(part => problems.delete(part));
  showStatus();
}

/** Since when a part cannot be read; undefined if it can. */
export const unknownSince = part => problems.get(part)?.since;

/** Returns whether other requests fail, too, so that the status line shows the failure until they do not. */
export const isOutage = failure => [0, EXPIRED, 503].includes(failure.status);

const reason = failure => failure.status === 503 ? 'Redis is unavailable.' : failure.message;

function showStatus() {
  const all = [...problems.values()].sort((a, b) => severity(b.failure) - severity(a.failure));
  document.body.classList.toggle('outdated', all.length > 0);
  if (all.length) {
    const {failure, since} = all[0];
    const login = failure.status === EXPIRED
      ? [' ', element('button', {id: 'login', textContent: 'Log in again', onclick: () => location.reload()})] : [];
    const text = `${reason(failure)} What is shown may be out of date since ${clock(since)}.`;
    if ($('problem').dataset.text !== text) {
      $('problem').dataset.text = text;
      $('problem').replaceChildren(text, ...login);
    }
  } else {
    $('problem').dataset.text = '';
    $('problem').replaceChildren();
    showText($('updated'), updated ? `Updated ${updated.toLocaleTimeString('en-GB')} ${clock(updated).split(' ').pop()}` : '');
  }
}

const severity = failure => failure.status === EXPIRED ? 2 : failure.status === 0 ? 1 : 0;
