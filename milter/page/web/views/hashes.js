// Stored hashes: how many, the most hit, and one of them.

import {can, get, has} from '../api.js';
import {clear, digest, el, facts, field, moment, notice, number, said, table} from '../dom.js';
import {failed, forgetButton, heading, offNotice, panel, taughtBy} from '../parts.js';
import {plot} from '../plots.js';
import {T} from '../texts.js';

const t = T.hashes;

export async function show(root, {query, signal}) {
  heading(root, T.views.hashes, t.lead);
  const wanted = query.get('digest') || '';
  if (has('get', 'hashes/{digest}')) {
    const input = el('input', {type: 'search', value: wanted, required: true, maxlength: 128, spellcheck: 'false', class: 'code', placeholder: t.digest_help});
    const grow = field(t.digest, input);
    grow.classList.add('grow');
    const out = el('div', {class: 'content', role: 'status'});
    root.append(el('section', {class: 'panel', 'aria-label': t.find}, el('form', {class: 'form', role: 'search', onsubmit: (event) => { event.preventDefault(); location.hash = `#/hashes?digest=${encodeURIComponent(input.value.trim())}`; }},
      grow, el('div', {class: 'buttons'}, el('button', {type: 'submit', class: 'main'}, t.show))), out));
    if (wanted) one(out, wanted, signal);
  }
  const totals = panel(t.total, async () => {
    const reply = await get('hashes', {}, signal);
    const growth = Array.isArray(reply.growth) ? reply.growth : [];
    return [offNotice(reply), el('div', {class: 'tiles'}, el('div', {class: 'tile'}, el('div', {class: 'name'}, t.total), el('div', {class: 'value'}, number(reply.total)))),
      table([{name: t.list, cell: (list) => list.name === null ? el('span', {class: 'quiet'}, t.unnamed) : said(list.name, 80)}, {name: t.rule, cell: (list) => said(list.rule, 80)}, {name: t.flag, number: true, cell: (list) => list.flag ?? '> 255'}, {name: t.count, number: true, cell: (list) => number(list.hashes)}], reply.lists || [], {caption: t.total, empty: t.no_lists}),
      growth.length ? plot({title: t.total, kind: 'line', low: true, labels: growth.map((each) => String(each.time)), series: [{name: t.count, colour: 'plot-a', values: growth.map((each) => each.total)}]}) : null];
  }, {route: ['get', 'hashes']});
  const top = panel(t.top, async () => {
    const reply = await get('hashes/top', {most: 20}, signal);
    const most = Math.max(1, ...reply.hits.map((hit) => hit.hits));
    return table([{name: t.digest, cell: (hit) => has('get', 'hashes/{digest}') ? el('a', {href: `#/hashes?digest=${hit.digest}`}, digest(hit.digest)) : digest(hit.digest)},
      {name: '', unheard: t.hits, cell: (hit) => { const bar = el('span'); bar.style.width = `${hit.hits / most * 100}%`; return el('div', {class: 'meter', 'aria-hidden': 'true'}, bar); }}, {name: t.hits, number: true, cell: (hit) => number(hit.hits)},
      {name: t.messages, cell: (hit) => el('a', {href: `#/messages?digest=${hit.digest.slice(0, 32)}`}, t.messages)}], reply.hits, {caption: t.top, empty: t.none});
  }, {route: ['get', 'hashes/top']});
  root.append(el('div', {class: 'grid'}, totals, top));
}

async function one(out, wanted, signal) {
  const again = () => one(out, wanted, signal);
  try {
    const hash = await get(`hashes/${encodeURIComponent(wanted)}`, {}, signal);
    clear(out).append(el('h2', null, t.one), facts([[t.digest, el('code', null, hash.digest)], [t.list, (hash.flags || []).map((flag) => el('div', null, said(flag.name === null ? `${t.flag} ${flag.flag}` : flag.name, 80), ` · ${t.value} ${number(flag.value)}`))],
      [t.created, moment(hash.created)], [t.updated, moment(hash.updated)], [t.hit, hash.hits === null ? el('span', {class: 'quiet'}, t.unknown) : number(hash.hits)], [t.shingles, hash.shingles ? t.yes : t.no],
      [t.taught_by, taughtBy(hash.taught_by, hash.taught_by?.case)], hash.reports === undefined ? null : [t.reports, number(hash.reports)]]),
    el('div', {class: 'buttons'}, can('delete', 'hashes/{digest}') ? forgetButton(hash.digest, {after: () => clear(out).append(notice('', t.gone))}) : '', el('a', {class: 'button small', href: `#/messages?digest=${hash.digest.slice(0, 32)}`}, t.messages)));
  } catch (error) {
    if (error.name !== 'AbortError') clear(out).append(failed(error, again));
  }
}
