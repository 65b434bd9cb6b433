// What changes something: says before what it will do, does it, and has a line to undo it.

import {Problem} from './api.js';
import {button, clear, el, notice} from './dom.js';
import {T} from './texts.js';

/// What to tell a person of an error.
export function told(error) {
  if (!(error instanceof Problem)) return T.error.ours(error.message);
  if (error.status === 0) return T.error.away;
  if (error.status === 401) return T.error.sign_in;
  if (error.status === 429) return T.error.slow(error.message, error.retry);
  if (error.status === 503) return T.error.later(error.message);
  return error.message;
}

/// A line at the bottom: "3 hashes forgotten · undo". `undo` returns what it has done.
export function done(text, undo) {
  const line = el('div', {class: 'line'}, el('span', null, text));
  if (undo) {
    line.append(button(T.act.undo, async (event) => {
      event.target.disabled = true;
      try { done(await undo()); } catch (error) { done(told(error)); }
      refresh();
    }));
  }
  const close = button('×', () => clear(document.getElementById('undo')), {kind: 'close', label: T.act.close});
  line.append(close);
  clear(document.getElementById('undo')).append(line);
}

let refresh = () => {};
export function onDone(take) { refresh = take; }

/// Asks before a change. `effect`: async, returns nodes or a text of what would happen. `run`: async, takes the
/// fields of the form, returns {text, undo}. `fields`: nodes between both.
export function act({title, what, effect, fields = [], run, verb, kind = 'main', after}) {
  const told_effect = el('div', {class: 'effect', role: 'status'}, T.act.looking);
  const failed = el('div', {role: 'alert'});
  const go = el('button', {type: 'submit', class: kind}, verb);
  const dialog = el('dialog', {'aria-labelledby': 'act-title'},
    el('form', {method: 'dialog', onsubmit: async (event) => {
      event.preventDefault();
      go.disabled = true;
      clear(failed);
      try {
        const result = await run(new FormData(event.target));
        dialog.close();
        if (result) done(result.text, result.undo);
        (after || refresh)();
      } catch (error) {
        failed.append(notice('bad', told(error)));
        go.disabled = false;
      }
    }},
    el('h2', {id: 'act-title'}, title), what ? el('div', {class: 'quiet small'}, what) : null, fields,
    effect ? told_effect : null, failed,
    el('div', {class: 'buttons'}, button(T.act.cancel, () => dialog.close()), go)));
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  dialog.showModal();
  (dialog.querySelector('input') || go).focus();
  if (effect) {
    Promise.resolve().then(effect).then((what_it_does) => clear(told_effect).append(...[what_it_does].flat()),
      (error) => clear(told_effect).append(told(error)));
  }
}

/// The name that reports have: remembered in this tab.
export function reporterField(session) {
  let before = '';
  try { before = sessionStorage.getItem('shingled-reporter') || ''; } catch { /* storage is off */ }
  return el('input', {name: 'reporter', required: true, maxlength: 256, autocomplete: 'email', value: before || session.name || 'postmaster'});
}

export function keepReporter(name) {
  try { sessionStorage.setItem('shingled-reporter', name); } catch { /* storage is off */ }
}
