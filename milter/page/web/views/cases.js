// What people report.

import {can, get, post} from '../api.js';
import {act} from '../act.js';
import {badge, button, digest, el, facts, moment, number, said, table} from '../dom.js';
import {listen} from '../live.js';
import {forgetButton, heading, offNotice, panel} from '../parts.js';
import {T} from '../texts.js';

const t = T.cases;
const effect = (one) => badge(one.effect, t.effects[one.effect] || one.effect);
const link = (one) => `#/cases/${encodeURIComponent(one.id)}`;

export async function show(root, {rest, signal}) {
  if (rest.length) return oneCase(root, rest[0], signal);
  heading(root, T.views.cases, t.lead);
  const cases = panel(T.views.cases, async () => {
    const reply = await get('cases', {most: 500, names: 'yes'}, signal);
    return [offNotice(reply), table([
      {name: t.case, cell: (one) => el('a', {href: link(one)}, el('code', null, one.id.slice(0, 8)))}, {name: t.effect, cell: effect},
      {name: t.spam, number: true, cell: (one) => [number(one.spam), one.newcomers ? el('span', {class: 'quiet small'}, ` (${t.newcomers(one.newcomers)})`) : null]}, {name: t.ham, number: true, cell: (one) => number(one.ham)},
      {name: t.messages, number: true, cell: (one) => number(one.messages)}, {name: t.hashes, number: true, cell: (one) => number(one.hashes)},
      {name: t.people, kind: 'fit', cell: (one) => { const named = (one.people || []).filter((person) => person.name); return [T.n((one.people || []).length, 'person', 'people'), named.length ? [': ', said(named.slice(0, 5).map((person) => person.name).join(', '), 160)] : null]; }}, {name: t.last, kind: 'short', cell: (one) => moment(one.last)},
    ], reply.cases, {caption: T.views.cases, empty: t.none, onrow: (one) => { location.hash = link(one); }})];
  }, {route: ['get', 'cases']});
  const reporters = panel(t.reporters, async () => {
    const reply = await get('reporters', {most: 50}, signal);
    return [offNotice(reply), table([{name: t.person, kind: 'fit', cell: (one) => one.name ? said(one.name, 120) : el('span', {class: 'quiet'}, t.anonymous, ' ', el('code', null, one.reporter.slice(0, 6)))}, {name: t.standing, cell: (one) => one.standing},
      {name: t.reports, number: true, cell: (one) => number(one.reports)}, {name: t.agreed, number: true, cell: (one) => number(one.agreed)}, {name: t.disagreed, number: true, cell: (one) => number(one.disagreed)},
      {name: t.reputation, number: true, cell: (one) => number(one.reputation, 2)}, {name: t.last, kind: 'short', cell: (one) => moment(one.last)}], reply.reporters, {caption: t.reporters, empty: t.none})];
  }, {route: ['get', 'reporters']});
  root.append(cases, reporters);
  listen('state', (state) => { if (state.what === 'case') { cases.again(); reporters.again(); } }, signal);
  return undefined;
}

function rule(one, closes, again) {
  const path = closes ? 'close' : 'reopen';
  if (!can('post', `cases/{id}/${path}`)) return null;
  const go = (what) => post(`cases/${encodeURIComponent(one.id)}/${what}`);
  return button(closes ? t.close : t.reopen, () => act({title: closes ? t.close_title : t.reopen_title, what: closes ? t.close_what : t.reopen_what, verb: closes ? t.close : t.reopen, after: again,
    effect: async () => closes ? t.effect_close(one.hashes) : t.effect_open(one.hashes),
    run: async () => {
      await go(path);
      return {text: closes ? t.closed : t.reopened, undo: async () => { await go(closes ? 'reopen' : 'close'); return closes ? t.reopened : t.closed; }};
    }}), {kind: closes ? 'good' : 'bad'});
}

function oneCase(root, id, signal) {
  root.append(el('p', null, el('a', {href: '#/cases'}, `← ${t.back}`)));
  heading(root, `${t.case} ${id.slice(0, 12)}`);
  const page = panel('', async () => {
    const one = await get(`cases/${encodeURIComponent(id)}`, {names: 'yes'}, signal);
    const again = () => page.again();
    return [facts([[t.effect, effect(one)], [t.spam, number(one.spam)], [t.ham, number(one.ham)], [t.messages, number(one.messages)], [t.last, moment(one.last)], [t.lists, said((one.lists || []).join(', '), 300)]]),
      el('div', {class: 'buttons'}, rule(one, one.effect !== 'closed', again)),
      el('h2', null, t.people), table([{name: t.person, kind: 'fit', cell: (person) => person.name ? said(person.name, 120) : el('span', {class: 'quiet'}, t.anonymous, ' ', el('code', null, person.reporter.slice(0, 6)))},
        {name: t.standing, cell: (person) => person.standing}, {name: t.says, cell: (person) => badge(person.says, T.messages.labels[person.says] || person.says)}], one.people || [], {caption: t.people, empty: t.none}),
      el('h2', null, t.digests), table([{name: t.case && T.message.digest, cell: (hash) => el('a', {href: `#/hashes?digest=${hash.digest}`}, digest(hash.digest))}, {name: T.hashes.list, cell: (hash) => hash.name || hash.flag}, {name: t.weight, number: true, cell: (hash) => number(hash.weight)},
        {name: t.state, cell: (hash) => hash.closed ? t.effects.closed : t.open}, {name: t.messages, cell: (hash) => el('a', {href: `#/messages?digest=${hash.digest.slice(0, 32)}`}, t.messages_of)}, {name: '', cell: (hash) => can('delete', 'hashes/{digest}') ? el('div', {class: 'buttons'}, forgetButton(hash.digest, {after: again})) : null}], one.digests || [], {caption: t.digests, empty: t.none})];
  });
  root.append(page);
}
