/* Lists of keys: ten rows, their number, all on request, and a search. */

import {$, element, isolated, shortened, clock} from './text.js';
import {unknownSince} from './requests.js';

const FEW = 10;

/**
 * @param id of the list; the page has id-title, id-none, id-search and id-more, too
 * @param part whose problem makes the list unknown
 * @param row text and buttons of one key
 */
export class KeyList {
  constructor(id, part, nothing, row) {
    Object.assign(this, {id, part, nothing, row, all: undefined, isExpanded: false});
    $(id + '-search').oninput = () => this.show();
    $(id + '-more').onclick = () => {
      this.isExpanded = !this.isExpanded;
      this.show();
    };
  }

  /** Forgets the rows: another policy is shown. */
  load() {
    this.isExpanded = false;
    $(this.id + '-search').value = '';
    this.update(undefined);
  }

  /** @param all the rows; undefined while they are not known */
  update(all) {
    this.all = all;
    this.show();
  }

  show() {
    const all = this.all ?? [];
    const wanted = $(this.id + '-search').value.trim().toLowerCase();
    const found = all.filter(one => (one.key + ' ' + (one.policy ?? '')).toLowerCase().includes(wanted));
    const shown = this.isExpanded ? found : found.slice(0, FEW);
    const none = $(this.id + '-none');
    none.hidden = found.length > 0;
    none.textContent = this.all === undefined ? this.unknown() : all.length ? 'No match.' : this.nothing;
    $(this.id + '-number').textContent = all.length ? ` (${all.length})` : '';
    $(this.id + '-search').hidden = all.length <= FEW;
    $(this.id + '-more').hidden = found.length <= FEW;
    $(this.id + '-more').textContent = this.isExpanded ? 'Show ten' : `Show all ${found.length}`;
    this.replaceRows(shown);
  }

  unknown() {
    const since = unknownSince(this.part);
    return since ? `Unknown since ${clock(since)}.` : 'Loading…';
  }

  /** Replaces the rows. The focus stays on the same button, or else goes to the heading. */
  replaceRows(rows) {
    const list = $(this.id);
    const focused = list.contains(document.activeElement) ? document.activeElement.dataset.name : undefined;
    list.replaceChildren(...rows.map(one => this.element(one)));
    if (focused) {
      (this.button(focused) ?? $(this.id + '-title')).focus();
    }
  }

  button(name) {
    return [...$(this.id).querySelectorAll('button')].find(button => button.dataset.name === name);
  }

  element(one) {
    const {text, buttons} = this.row(one);
    const shown = shortened(one.key) || 'all callers';
    return element('li', {},
      element('div', {}, element('code', {title: one.key}, isolated(shown)), element('small', {textContent: text})),
      element('div', {className: 'buttons'}, ...buttons.map(([label, onclick]) => {
        const button = element('button', {textContent: label, onclick});
        button.dataset.name = label + ' ' + (one.policy ?? '') + ' ' + one.key;
        button.setAttribute('aria-label', label + ' ' + shown);
        return button;
      })));
  }
}
