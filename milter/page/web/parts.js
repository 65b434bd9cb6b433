// Parts that several views have.

import {Problem, del, has, post} from './api.js';
import {act, told} from './act.js';
import {badge, button, clear, digest, el, facts, moment, notice, said, score, table} from './dom.js';
import {T} from './texts.js';

export function heading(root, title, lead, tools) {
  root.append(el('div', {class: 'heading'}, el('h1', {tabindex: '-1'}, title), tools ? el('div', {class: 'tools'}, tools) : null,
    lead ? el('p', {class: 'lead'}, lead) : null));
}

/// A panel whose content is loaded: `load` returns nodes. What goes wrong is said in its place.
export function panel(title, load, {note, tools, route, level = 'h2', kind = '', name = title} = {}) {
  const content = el('div', {class: 'content'});
  const head = el('header', null, el(level, null, title), note ? el('span', {class: 'note'}, note) : null,
    tools ? el('div', {class: 'tools'}, tools) : null);
  const out = el('section', {class: `panel ${kind}`, 'aria-busy': 'true', 'aria-label': name || null}, title ? head : null, content);
  out.again = async () => {
    if (route && !has(...route)) {
      out.removeAttribute('aria-busy');
      return clear(content).append(notice('', T.error.no_route(`“${name}”`)));
    }
    try {
      const nodes = [await load(out)].flat(Infinity).filter((node) => node !== null && node !== undefined && node !== false);
      clear(content).append(...nodes);
    } catch (error) {
      if (error.name === 'AbortError') return undefined;
      clear(content).append(failed(error, out.again));
    }
    out.removeAttribute('aria-busy');
    return undefined;
  };
  out.again();
  return out;
}

export function failed(error, again) {
  const kind = error instanceof Problem && [429, 503, 0].includes(error.status) ? 'warn' : 'bad';
  const out = notice(kind, el('p', null, told(error)));
  if (again && !(error instanceof Problem && [401, 403, 404].includes(error.status)))
    out.append(el('div', {class: 'buttons'}, button(T.error.again, again, {kind: 'small'})));
  return out;
}

export const offNotice = (reply) => reply.off ? notice('warn', el('p', null, el('strong', null, T.error.off), said(reply.off, 500))) : null;

export function action(name) {
  return badge(name, T.actions[name] || said(name, 40));
}

export const messageLink = (id) => `#/messages/${encodeURIComponent(id)}`;

/// The strongest evidence of a message, as links to the messages that have it.
export function reasons(message, most = 3) {
  const found = (message.evidence || []).filter((one) => one.effect === 'counts' || one.effect === undefined)
    .sort((a, b) => Math.abs(b.score) - Math.abs(a.score));
  if (found.length === 0) return el('span', {class: 'none'}, '–');
  const out = el('span', {class: 'small'});
  found.slice(0, most).forEach((one, at) => out.append(at ? ', ' : '', said(one.symbol, 60), ` ${score(one.score)}`));
  if (found.length > most) out.append(` +${found.length - most}`);
  return out;
}

export function messageColumns({host = false} = {}) {
  const m = T.messages;
  return [
    {name: m.time, kind: 'short c-time', cell: (one) => el('a', {href: messageLink(one.id)}, moment(one.time), el('span', {class: 'unheard'}, ` ${T.message.title} ${one.queue_id || one.id}`))},
    host && {name: m.host, cell: (one) => said(one.host, 60)},
    {name: m.sender, kind: 'fit c-from', cell: (one) => said(one.sender, 90)},
    {name: m.recipients, kind: 'fit c-to', cell: (one) => {
      const all = one.recipients || [];
      return all.length > 1 ? el('span', null, said(all[0], 70), el('span', {class: 'quiet'}, ` +${all.length - 1}`)) : said(all[0], 70);
    }},
    {name: m.subject, kind: 'fit c-subject', cell: (one) => said(one.subject, 120)},
    {name: m.action, kind: 'short c-action', cell: (one) => [action(one.action), one.label ? [' ', badge(one.label, T.messages.labels[one.label] || one.label)] : null]},
    {name: m.score, number: true, kind: 'c-score', cell: (one) => score(one.score)},
    {name: m.why, kind: 'fit c-why', cell: (one) => reasons(one)},
  ].filter(Boolean);
}

/// What a try (try=yes) says, as nodes.
export function effectOf(reply) {
  if (reply.off) return [said(reply.off, 400)];
  const all = typeof reply.messages === 'object' && reply.messages !== null ? reply.messages.all : reply.messages;
  const would = reply.would_change ?? null;
  const out = [el('strong', null, would === null ? T.act.unknown_effect : T.act.would(would, all ?? 0))];
  if (reply.unknown) out.push(el('span', {class: 'quiet small'}, T.act.unknown(reply.unknown)));
  for (const one of (reply.examples || []).slice(0, 5)) {
    out.push(el('span', {class: 'small'}, action(one.action || one.from), ` ${T.act.becomes} `, action(one.would_be || one.to), ' ',
      said(one.sender || one.id, 60), one.subject ? [': ', said(one.subject, 80)] : null));
  }
  return out;
}

/// The button that forgets a stored hash, with its undo.
export function forgetButton(hash, {after} = {}) {
  if (!has('delete', 'hashes/{digest}')) return null;
  return button(T.forget.verb, () => act({
    title: T.forget.title, what: [digest(hash), ' ', T.forget.what], verb: T.forget.verb, kind: 'bad', after,
    effect: async () => {
      const reply = await del(`hashes/${hash}`, {try: 'yes'});
      const lists = (reply.would_forget || []).map((one) => el('span', {class: 'small'}, one.name || one.flag, ` (${one.value})`, ' ', digest(one.digest)));
      return [...effectOf(reply), el('span', null, T.forget.effect(reply.would_forget || [])), ...lists.slice(0, 6)];
    },
    run: async () => {
      const reply = await del(`hashes/${hash}`);
      const text = T.forget.done(reply.forgotten.length) + (reply.undo ? '' : T.forget.no_undo(reply.why_no_undo || ''));
      return {text, undo: reply.undo ? async () => {
        const back = await post('hashes/undo', {token: reply.undo});
        return T.forget.undone((back.restored || []).length);
      } : null};
    },
  }), {kind: 'small bad', label: `${T.message.forget} ${String(hash).slice(0, 8)}`});
}

/// Calls the route that a reply names as its undo.
export async function undoBy(undo, text = T.act.undone) {
  const path = new URL(undo.path, 'http://x/');
  const query = Object.fromEntries(path.searchParams);
  const below = path.pathname.replace(/^\/api\/1\//, '');
  if (undo.method === 'DELETE') await del(below, query);
  else await post(below, query);
  return text;
}

/// The score as a sum: items [{symbol, score, effect, note, href}], the total, and marks [{name, at}].
export function waterfall(items, total, marks = []) {
  if (items.length === 0) return el('p', {class: 'empty'}, T.message.none);
  const counting = (one) => one.effect === 'counts' || one.effect === undefined || one.effect === null;
  const sorted = [...items].sort((a, b) => counting(b) - counting(a) || Math.abs(b.score) - Math.abs(a.score));
  let low = Math.min(0, total);
  let high = Math.max(0, total, ...marks.map((mark) => mark.at));
  let sum = 0;
  for (const one of sorted) {
    const to = counting(one) ? (sum += one.score) : one.score;
    low = Math.min(low, to, sum);
    high = Math.max(high, to, sum);
  }
  const range = high - low || 1;
  const percentOf = (value) => (value - low) / range * 100;
  const rail = (from, to, kind) => {
    const bar = el('span', {class: `bar ${kind}`});
    bar.style.left = `${percentOf(Math.min(from, to))}%`;
    bar.style.width = `${Math.abs(to - from) / range * 100}%`;
    const out = el('div', {class: 'rail', 'aria-hidden': 'true'}, bar, marks.map((mark) => {
      const line = el('span', {class: `mark ${mark.name}`});
      line.style.left = `${percentOf(mark.at)}%`;
      return line;
    }));
    out.style.setProperty('--zero', `${percentOf(0)}%`);
    return out;
  };
  let at = 0;
  const rows = sorted.map((one) => {
    const from = counting(one) ? at : 0;
    const to = counting(one) ? (at += one.score) : one.score;
    return el('tr', {class: counting(one) ? null : 'off'},
      el('th', {scope: 'row', class: 'name'}, one.href ? el('a', {href: one.href}, said(one.symbol, 100)) : said(one.symbol, 100),
        counting(one) ? null : [' ', badge('', T.message.effects[one.effect] || one.effect)],
        one.note ? el('span', {class: 'why'}, one.note) : null),
      el('td', {class: 'track'}, rail(from, to, counting(one) ? (one.score < 0 ? 'minus' : '') : 'without')),
      el('td', {class: 'number'}, score(one.score)));
  });
  return el('div', {class: 'scroll', tabindex: '0', role: 'group', 'aria-label': T.message.why}, el('table', {class: 'fall'},
    el('caption', {class: 'unheard'}, T.message.why),
    el('thead', null, el('tr', null, el('th', {scope: 'col'}, T.message.symbol), el('th', {scope: 'col'}, T.message.adds), el('th', {scope: 'col', class: 'number'}, T.message.score))),
    el('tbody', null, rows, el('tr', {class: 'total'}, el('th', {scope: 'row'}, T.message.total), el('td', {class: 'track'}, rail(0, total, 'sum')),
      el('td', {class: 'number'}, score(total))))));
}

/// Features by name, with a filter.
export function features(values) {
  const all = Object.entries(values || {});
  const known = all.filter(([, value]) => value !== null);
  const list = el('div', {class: 'content'});
  const filter = el('input', {type: 'search', placeholder: T.message.filter, 'aria-label': `${T.message.features}: ${T.message.filter}`});
  const zeros = el('input', {type: 'checkbox'});
  const draw = () => {
    const fit = known.filter(([name, value]) => name.includes(filter.value.trim()) && (zeros.checked || (value !== 0 && value !== false)));
    const out = facts(fit.map(([name, value]) => [el('code', null, name), typeof value === 'boolean' ? (value ? T.hashes.yes : T.hashes.no) : said(String(value), 120)]));
    out.classList.add('tight');
    clear(list).append(fit.length ? out : el('p', {class: 'empty'}, T.message.no_features));
  };
  filter.addEventListener('input', draw);
  zeros.addEventListener('change', draw);
  draw();
  return [el('div', {class: 'form'}, el('div', {class: 'field grow'}, filter), el('label', {class: 'check'}, zeros, T.message.zeros),
    el('span', {class: 'quiet small'}, T.message.features_note(known.length, all.length))), list];
}

/// Counters of pieces: a row each, a column for each window.
export function counterTable(counters, empty) {
  const known = (counters || []).filter((one) => one.known);
  const windows = [...new Set(known.flatMap((one) => Object.keys(one.sums || {})))];
  const sums = (one) => Object.entries(one || {}).map(([name, count]) => `${name} ${count}`).join(', ');
  const region = table([{name: T.message.type, cell: (one) => el('span', null, el('code', null, one.type), ' ', el('span', {class: 'quiet small'}, said(one.piece, 80)))},
    ...windows.map((window) => ({name: window, cell: (one) => el('span', {class: 'small'}, sums(one.sums[window]) || el('span', {class: 'none'}, '0'))}))],
  known, {caption: T.message.counters, empty});
  region.classList.add('short');
  return region;
}

/// Who taught a stored hash: `one` has spam, ham and people; null if nobody of this site did.
export function taughtBy(one, id) {
  if (!one) return el('span', {class: 'quiet small'}, T.message.by_other);
  const names = (one.people || []).map((person) => person.name || `${T.message.anonymous} ${String(person.reporter).slice(0, 6)}`);
  return el('span', {class: 'small'}, el('a', {href: `#/cases/${encodeURIComponent(id)}`}, `${T.message.case} ${String(id).slice(0, 8)}`), ': ',
    T.message.people(one.spam, one.ham), names.length ? [' (', said(names.slice(0, 8).join(', '), 300), names.length > 8 ? ', …' : '', ')'] : null);
}

export function segments(options, chosen, take, label) {
  const out = el('div', {class: 'segments', role: 'group', 'aria-label': label}, options.map(([value, text]) =>
    el('button', {type: 'button', 'aria-pressed': String(value === chosen), onclick: (event) => {
      for (const one of out.children) one.setAttribute('aria-pressed', String(one === event.target));
      take(value);
    }}, text)));
  return out;
}

