// The history: search, and one message with all that is known about it.

import {can, get, has, post, session, takes} from '../api.js';
import {act, keepReporter, reporterField} from '../act.js';
import {append, badge, button, clear, digest, el, facts, field, moment, notice, said, score, select, table} from '../dom.js';
import {listen} from '../live.js';
import {action, counterTable, effectOf, features, forgetButton, heading, messageColumns, messageLink, offNotice, panel, taughtBy, undoBy, waterfall} from '../parts.js';
import {T} from '../texts.js';

const m = T.message;
const PAGE = 50;
const LOOKED_HASHES = 6;

export async function show(root, {rest, query, signal}) {
  if (rest.length) return one(root, rest.join('/'), signal);
  return list(root, query, signal);
}

function list(root, query, signal) {
  const t = T.messages;
  const names = Object.keys(t.fields);
  const used = names.find((name) => query.get(name)) || 'sender';
  const where = select(Object.entries(t.fields), used);
  const text = el('input', {type: 'search', value: query.get(used) || '', maxlength: 320});
  const what = select([['', t.any], ...Object.entries(T.actions)], query.get('action') || '');
  const label = select([['', t.any], ...Object.entries(t.labels)], query.get('label') || '');
  const since = select(t.spans, query.get('since') ?? '');
  const peers = query.get('peers') || '';
  const peersBox = el('input', {type: 'checkbox', checked: peers === 'yes'});
  const filters = {[used]: query.get(used) || '', action: query.get('action'), label: query.get('label'), since: query.get('since'), peers};
  const go = () => {
    const wanted = new URLSearchParams();
    if (text.value.trim()) wanted.set(where.value, text.value.trim());
    for (const [name, input] of [['action', what], ['label', label], ['since', since]]) if (input.value) wanted.set(name, input.value);
    if (peersBox.checked) wanted.set('peers', 'yes');
    const hash = `#/messages${String(wanted) ? `?${wanted}` : ''}`;
    if (location.hash === hash) fresh.again();
    else location.hash = hash;
  };
  const form = el('form', {class: 'form', role: 'search', onsubmit: (event) => { event.preventDefault(); go(); }},
    field(t.in, where), (() => { const out = field(t.text, text); out.classList.add('grow'); return out; })(), field(t.action, what), field(t.label, label), field(t.since, since),
    el('div', {class: 'buttons'}, el('button', {type: 'submit', class: 'main'}, t.search), String(query) ? el('a', {class: 'button', href: '#/messages'}, t.reset) : null));
  heading(root, T.views.messages, t.lead);
  const pill = el('div');
  let count = 0;
  const out = el('div', {class: 'content'});
  let all = [];
  const older = el('div', {class: 'buttons'});
  const load = async (cursor) => {
    const reply = await get('messages', {...filters, cursor, most: PAGE}, signal);
    all = cursor ? [...all, ...reply.messages] : reply.messages;
    const hosts = all.some((message) => message.host);
    clear(out).append(table(messageColumns({host: hosts}), all, {caption: T.views.messages, empty: reply.next ? '' : t.found_none, kind: 'list', onrow: (message) => { location.hash = messageLink(message.id); }}));
    clear(older);
    if (reply.next) {
      if (reply.messages.length < PAGE && !cursor) older.append(el('span', {class: 'quiet small'}, t.looked));
      older.append(button(t.more, async (event) => {
        event.target.disabled = true;
        try { await load(reply.next); } catch (error) { older.append(notice('bad', error.message)); }
      }));
    }
    const nameless = all.length > 0 && all.every((message) => message.sender === null && message.recipients === null);
    return [offNotice(reply), ...(reply.missing || []).map((one) => notice('warn', t.missing(one.host, one.why))), nameless ? notice('', t.names_off) : null, out, older];
  };
  const fresh = panel('', async () => { clear(pill); count = 0; return load(); });
  root.append(el('section', {class: 'panel', 'aria-label': t.search}, form,
    takes('get', 'messages', 'peers') ? el('label', {class: 'check'}, peersBox, t.peers) : null), pill, fresh);
  listen('message', () => {
    ++count;
    clear(pill).append(button(t.new(count), () => fresh.again(), {kind: 'plain'}));
  }, signal);
}

/// How many messages of the last days share a hash with this one.
async function shared(hashes, signal) {
  const ids = new Set();
  const looked = hashes.slice(0, LOOKED_HASHES);
  for (const one of looked) {
    const reply = await get('messages', {digest: one.digest.slice(0, 32), since: '7d', most: 1000}, signal);
    for (const message of reply.messages) ids.add(message.id);
  }
  return m.share(ids.size, hashes.length, 7);
}

function reportButton(message, kind, hashes, signal, after) {
  const verb = kind === 'spam' ? m.spam : m.ham;
  return button(verb, () => {
    const reporter = reporterField(session);
    act({title: kind === 'spam' ? m.spam_title : m.ham_title, what: kind === 'spam' ? m.spam_what : m.ham_what, verb, after,
      kind: kind === 'spam' ? 'bad' : 'good', fields: [field(m.as, reporter, m.as_help)],
      effect: async () => shared((await hashes()).hashes || [], signal),
      run: async (form) => {
        const name = form.get('reporter').trim();
        keepReporter(name);
        const send = (what) => post(`messages/${encodeURIComponent(message.id)}/report`, {kind: what, reporter: name});
        const receipt = await send(kind);
        const other = kind === 'spam' ? 'ham' : 'spam';
        return {text: m.receipt(receipt, kind), undo: receipt.what === 'same' ? null : async () => m.receipt(await send(other), other)};
      }});
  }, {kind: kind === 'spam' ? 'bad' : 'good', disabled: !message.can_report || !can('post', 'messages/{id}/report'), title: message.can_report ? null : m.not_reportable});
}

function listButton(message, which, after) {
  const path = `lists/${which}`;
  if (!can('post', path) || !message.sender) return null;
  const address = String(message.sender).replace(/[<>]/g, '');
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return button(which === 'allow' ? m.allow : m.block, () => {
    const entry = el('input', {name: 'entry', required: true, value: `from ${address}`, list: 'entries', maxlength: 400, spellcheck: 'false'});
    const reason = el('input', {name: 'reason', maxlength: 200, value: `message ${message.queue_id || message.id}`});
    const effect = el('div', {class: 'effect', role: 'status'});
    let turn = 0;
    const look = async () => {
      const mine = ++turn;
      clear(effect).append(T.act.looking);
      let nodes;
      try { nodes = effectOf(await post(path, {entry: entry.value, try: 'yes'})); } catch (error) { nodes = [error.message]; }
      if (mine === turn) clear(effect).append(...nodes);
    };
    entry.addEventListener('change', look);
    act({title: which === 'allow' ? m.allow_title : m.block_title, what: which === 'allow' ? m.allow_what : m.block_what, verb: which === 'allow' ? m.allow : m.block, after,
      fields: [field(m.entry, entry), el('datalist', {id: 'entries'}, m.entries(address, domain).map(([value, text]) => el('option', {value}, text))), field(m.reason, reason), effect],
      run: async (form) => {
        const reply = await post(path, {entry: form.get('entry'), reason: form.get('reason')});
        return {text: `${reply.entry}: ${which === 'allow' ? m.allowed : m.blocked}.`, undo: reply.undo ? () => undoBy(reply.undo) : null};
      }});
    look();
  });
}

function hashPanel(hashes, again) {
  return panel(m.hashes, async () => {
    const reply = await hashes();
    const lists = has('get', 'hashes') ? (await get('hashes', {})).lists || [] : [];
    const nameOf = (flag) => flag.name || lists.find((list) => list.flag === flag.flag)?.name || flag.flag;
    const rows = (reply.hashes || []).flatMap((hash) => hash.matches.map((match) => ({hash, match})));
    if (rows.length === 0) return [offNotice(reply), el('p', {class: 'empty'}, reply.off ? '' : m.no_hashes)];
    return [offNotice(reply), table([
      {name: m.digest, cell: ({match, hash}) => [digest(match.digest), ' ', badge('', hash.file ? m.file : m.text)]},
      {name: m.match, cell: ({match}) => match.exact ? m.exact : m.near(match.slots)},
      {name: m.lists, cell: ({match}) => match.flags.map((flag) => `${nameOf(flag)}: ${flag.value}`).join(', ')},
      {name: m.age, cell: ({match}) => moment(match.updated)},
      {name: m.taught_by, kind: 'fit', cell: ({match}) => taughtBy(match.case, match.case?.id)},
      {name: '', cell: ({match}) => can('delete', 'hashes/{digest}') ? el('div', {class: 'buttons'}, forgetButton(match.digest, {after: again})) : null},
    ], rows, {caption: m.hashes})];
  }, {route: ['get', 'messages/{id}/hashes']});
}

function modelPanel(word) {
  return el('section', {class: 'panel', 'aria-label': m.model}, el('header', null, el('h2', null, m.model), word.shadow ? el('span', {class: 'note'}, m.model_shadow) : null),
    waterfall((word.contributions || []).slice(0, 25).map((one) => ({symbol: one.feature, score: one.score, note: one.value === null ? m.unknown : String(one.value)})), word.score));
}

async function one(root, id, signal) {
  root.append(el('p', null, el('a', {href: '#/messages'}, `← ${m.back}`)));
  const top = el('div', {class: 'content'});
  root.append(top);
  const draw = async () => {
    let message;
    try {
      message = await get(`messages/${encodeURIComponent(id)}`, {}, signal);
    } catch (error) {
      if (error.name === 'AbortError') return;
      clear(top).append(el('h1', {tabindex: '-1'}, m.title), notice('bad', error.message));
      return;
    }
    let asked = null;
    const hashes = () => asked ??= has('get', 'messages/{id}/hashes') ? get(`messages/${encodeURIComponent(message.id)}/hashes`, {}, signal) : Promise.resolve({hashes: []});
    const again = () => draw();
    const title = el('h1', {tabindex: '-1'}, message.subject === null ? `${m.title} ${message.queue_id || ''}` : said(message.subject, 200));
    const flags = Object.entries(m.flags).filter(([name]) => message[name]).map(([, text]) => notice('warn', text));
    clear(top);
    append(top, [el('div', {class: 'heading'}, title),
      el('section', {class: 'panel', 'aria-label': m.title}, facts([
        [T.messages.action, [action(message.action), ' ', el('strong', null, score(message.score))]], [m.label, message.label ? badge(message.label, T.messages.labels[message.label] || message.label) : el('span', {class: 'quiet'}, m.nobody)],
        [m.sender, message.sender === null ? el('span', {class: 'quiet'}, m.not_kept) : said(message.sender, 1000)],
        [m.recipients, message.recipients === null ? el('span', {class: 'quiet'}, m.not_kept) : said(message.recipients.join(', '), 2000)],
        [m.time, moment(message.time)], [m.id, said(message.queue_id, 200)], message.host ? [m.host, said(message.host, 200)] : null]), flags,
      el('div', {class: 'buttons'}, reportButton(message, 'spam', hashes, signal, again), reportButton(message, 'ham', hashes, signal, again), listButton(message, 'allow', again), listButton(message, 'block', again)),
      message.can_report ? null : el('p', {class: 'quiet small'}, m.not_reportable)),
      el('section', {class: 'panel', 'aria-label': m.why}, el('header', null, el('h2', null, m.why), el('span', {class: 'note'}, m.why_note)),
        waterfall((message.evidence || []).map((item) => ({...item, href: item.policy && has('get', 'rules/{name}') ? `#/rules/${encodeURIComponent(item.symbol)}` : null,
          note: [item.policy ? m.policy : m.other, item.place ? [` · ${m.place} `, said(item.place, 200)] : null]})), message.score)),
      hashPanel(hashes, again), message.model ? modelPanel(message.model) : null,
      el('section', {class: 'panel', 'aria-label': m.features}, el('header', null, el('h2', null, m.features)), features(message.features)),
      el('section', {class: 'panel', 'aria-label': m.counters}, el('header', null, el('h2', null, m.counters)), counterTable(message.counters, m.no_counters))]);
  };
  await draw();
}
