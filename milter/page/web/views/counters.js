// Counters of pieces of mail: one over time, and the most and rising ones.

import {question} from '../api.js';
import {clear, el, field, number, said, select, table} from '../dom.js';
import {failed, heading, panel} from '../parts.js';
import {plot} from '../plots.js';
import {T} from '../texts.js';

const t = T.counters;
const PAIRS = ['sender_recipient', 'client_sender', 'link_from', 'recipient_sender'];
const TYPES = ['sender', 'sender_domain', 'from', 'from_domain', 'claimed_from', 'claimed_from_domain', 'display_name', 'recipient', 'client', 'client_network', 'client_domain', 'helo', 'user',
  'subject', 'exact_subject', 'link_host', 'link_domain', 'link', 'link_path', 'link_shape', 'foreign_host', 'image_link', 'address', 'phone', 'wallet', 'attachment_name', 'attachment_kind', 'attachment', 'image',
  'phrase', 'notice', 'short_text', 'structure', 'header_names', 'header_order', 'mailer', 'reply_to', 'dkim_domain', 'list_id', 'message_id_domain', 'stored_hash', 'known_file', ...PAIRS];
const SLOT_SECONDS = 600;
const SLOTS = 144;
const DAYS = 14;

function sums(entries, from, to) {
  const out = {};
  for (const entry of entries) {
    const at = entry.unit === '1d' ? entry.number * 86400 : entry.number * SLOT_SECONDS;
    if (at < from || at >= to) continue;
    for (const [name, count] of Object.entries(entry)) if (name !== 'unit' && name !== 'number') out[name] = (out[name] || 0) + count;
  }
  return out;
}

function seriesOf(steps) {
  const of = (name) => steps.map((one) => one[name] || 0);
  const rest = steps.map((one) => Math.max(0, (one.mass || 0) - (one.spam || 0) - (one.ham || 0)));
  return [{name: t.measures.ham, colour: 'plot-pass', values: of('ham')}, {name: t.measures.spam, colour: 'plot-reject', values: of('spam')},
    ...(rest.some(Boolean) ? [{name: t.rest, colour: 'plot-discard', values: rest}] : []),
    ...(steps.some((one) => one.complaint) ? [{name: t.measures.complaint, colour: 'plot-quarantine', values: of('complaint')}] : []),
    ...(steps.some((one) => one.rescue) ? [{name: t.measures.rescue, colour: 'plot-tempfail', values: of('rescue')}] : [])];
}

function draw(reply) {
  const entries = reply.counters[0]?.entries || [];
  if (entries.length === 0) return el('p', {class: 'empty'}, t.none);
  const two = (n) => String(n).padStart(2, '0');
  const now = (reply.now + 1) * SLOT_SECONDS;
  const slots = Array.from({length: SLOTS}, (_, at) => now - (SLOTS - at) * SLOT_SECONDS);
  const today = Math.floor((now - 1) / 86400) * 86400;
  const days = Array.from({length: DAYS}, (_, at) => today - (DAYS - 1 - at) * 86400);
  const clock = (at) => { const d = new Date(at * 1000); return `${two(d.getHours())}:${two(d.getMinutes())}`; };
  const day = (at) => { const d = new Date(at * 1000); return d.toLocaleDateString('en-GB', {day: 'numeric', month: 'short', timeZone: 'UTC'}); };
  const tens = entries.filter((entry) => entry.unit === '10m');
  const total = sums(entries, days[0], now);
  const tile = (name, value) => el('div', {class: 'tile'}, el('div', {class: 'name'}, name), el('div', {class: 'value'}, number(value || 0)));
  return el('div', {class: 'content'},
    el('div', {class: 'tiles'}, ['mass', 'spam', 'ham', 'complaint', 'rescue'].map((name) => tile(t.measures[name], total[name]))),
    el('div', {class: 'grid'}, el('div', {class: 'content'}, el('h2', null, t.day), plot({title: t.day, labels: slots.map(clock), stacked: true, low: true, series: seriesOf(slots.map((at) => sums(tens, at, at + SLOT_SECONDS)))})),
      el('div', {class: 'content'}, el('h2', null, t.days), plot({title: t.days, labels: days.map(day), stacked: true, low: true, series: seriesOf(days.map((at) => sums(entries, at, at + 86400)))}))));
}

export async function show(root, {query, signal}) {
  heading(root, T.views.counters, t.lead);
  const type = select(TYPES.map((name) => [name, name.replaceAll('_', ' ')]), query.get('type') || 'sender');
  const piece = el('input', {type: 'search', value: query.get('piece') || '', required: true, maxlength: 1000});
  const second = el('input', {type: 'search', value: query.get('with') || '', maxlength: 1000});
  const space = select(t.directions, query.get('space') || 'in');
  const secondField = field(t.pair, second);
  const fit = () => { secondField.hidden = !PAIRS.includes(type.value); };
  type.addEventListener('change', fit);
  fit();
  const out = el('div', {class: 'content', role: 'status'});
  const grow = field(t.piece, piece);
  grow.classList.add('grow');
  const link = (values) => `#/counters?${new URLSearchParams(values)}`;
  root.append(el('section', {class: 'panel', 'aria-label': t.show}, el('form', {class: 'form', role: 'search', onsubmit: (event) => {
    event.preventDefault();
    const wanted = {type: type.value, piece: piece.value, space: space.value};
    if (PAIRS.includes(type.value)) wanted.with = second.value;
    if (location.hash === link(wanted)) look();
    else location.hash = link(wanted);
  }}, field(t.type, type), grow, secondField, field(t.direction, space), el('div', {class: 'buttons'}, el('button', {type: 'submit', class: 'main'}, t.show))), out));
  const look = async () => {
    const shingle = query.get('shingle');
    if (!piece.value && !shingle) return;
    const one = shingle ? {type: type.value, shingle} : {type: type.value, piece: PAIRS.includes(type.value) ? [piece.value, second.value] : piece.value};
    try {
      clear(out).append(draw(await question('counters/series', {space: space.value, pieces: [one]}, {signal})));
    } catch (error) {
      if (error.name !== 'AbortError') clear(out).append(failed(error, look));
    }
  };
  look();
  const topType = select(TYPES.map((name) => [name, name.replaceAll('_', ' ')]), 'sender_domain', () => top.again());
  const measure = select(['mass', 'spam', 'ham', 'complaint', 'rescue'].map((name) => [name, t.measures[name]]), 'mass', () => top.again());
  const windowBox = select([['1h', '1 hour'], ['12h', '12 hours'], ['1d', '1 day'], ['7d', '7 days']], '1d', () => top.again());
  const order = select([['most', t.most], ['rising', t.rising]], 'most', () => top.again());
  const form = el('div', {class: 'form'}, field(t.type, topType), field(t.measure, measure), field(t.window, windowBox), field(t.order, order));
  const top = panel(t.top, async () => {
    const rising = order.value === 'rising';
    const reply = await question('counters/top', {space: 'in', type: topType.value, measure: measure.value, window: windowBox.value, rising, most: 25}, {signal});
    const name = (one) => one.piece === null ? el('span', {class: 'quiet'}, `${t.unnamed} `, el('code', null, one.shingle)) : said(Array.isArray(one.piece) ? one.piece.join(' + ') : one.piece, 120);
    const most = Math.max(1, ...reply.counters.map((one) => one.count));
    return [form, table([{name: t.piece, kind: 'fit', cell: (one) => el('a', {href: link(one.piece === null ? {type: one.type, shingle: one.shingle} : {type: one.type, piece: one.piece})}, name(one))},
      {name: '', unheard: t.count, cell: (one) => { const bar = el('span'); bar.style.width = `${one.count / most * 100}%`; return el('div', {class: 'meter', 'aria-hidden': 'true'}, bar); }},
      {name: t.count, number: true, cell: (one) => number(one.count)}, rising ? {name: t.before, number: true, cell: (one) => number(one.before)} : null].filter(Boolean), reply.counters, {caption: t.top, empty: t.places}),
    reply.counters.some((one) => one.piece === null) ? el('p', {class: 'help'}, t.names_hint) : null];
  }, {route: ['post', 'counters/top']});
  root.append(top);
}

