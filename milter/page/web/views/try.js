// What would happen to a message, and why. Nothing is stored.

import {has, question} from '../api.js';
import {told} from '../act.js';
import {append, badge, button, clear, digest, duration, el, facts, field, notice, said, score, table} from '../dom.js';
import {action, counterTable, features, heading, waterfall} from '../parts.js';
import {T} from '../texts.js';

const t = T.try;
const BYTES_MAX = 64 * 1024 * 1024;

function result(reply) {
  const marks = Object.entries(reply.required || {}).filter(([name, at]) => at !== null && (name === 'add_header' || name === 'reject')).map(([name, at]) => ({name, at}));
  const rules = reply.rules || [];
  const lines = (list) => el('pre', null, list.map((one) => typeof one === 'string' ? one : `${one.name}: ${one.value}`).map((line) => said(line, 400)).flatMap((node) => [node, '\n']));
  const block = (title, ...content) => el('section', {class: 'panel', 'aria-label': title}, el('header', null, el('h2', null, title)), content);
  return [
    block(t.verdict, facts([[T.messages.action, [action(reply.action), ' ', el('strong', null, score(reply.score))]],
      ...marks.map((mark) => [T.actions[mark.name], t.at('', score(mark.at)).trim()]), reply.reply ? [t.reply, said(reply.reply, 500)] : null]),
    reply.reason ? el('p', {class: 'quiet small'}, said(reply.reason, 400)) : null,
    reply.incomplete ? notice('warn', T.message.flags.incomplete) : null, reply.dry_run ? notice('warn', T.message.flags.dry_run) : null,
    typeof reply.time === 'number' ? el('p', {class: 'quiet small'}, t.taken(duration(reply.time))) : null),
    block(T.message.why, waterfall((reply.symbols || []).map((one) => ({symbol: one.symbol, score: one.score, effect: one.shadow ? 'in shadow' : one.effect,
      note: [said(one.source, 60), one.text ? [': ', said(one.text, 300)] : null, one.hash ? [' ', digest(one.hash)] : null]})), reply.score, marks)),
    rules.length ? block(t.rules, table([{name: T.rules.rule, cell: (one) => el('a', {href: `#/rules/${encodeURIComponent(one.rule)}`}, said(one.rule, 80))},
      {name: T.rules.state, cell: (one) => [badge(one.fired ? 'marked' : '', one.fired ? t.fired : t.near), one.shadow ? [' ', badge('', T.rules.shadow)] : null]},
      {name: T.rules.score, number: true, cell: (one) => score(one.score)}, {name: T.messages.why, kind: 'fit', cell: (one) => said(one.text, 400)}], rules, {caption: t.rules})) : null,
    (reply.matches || []).length ? block(t.matches, table([{name: T.message.digest, cell: (one) => el('a', {href: `#/hashes?digest=${encodeURIComponent(one.matched || one.digest)}`}, digest(one.matched || one.digest))},
      {name: T.message.match, cell: (one) => one.exact ? T.message.exact : T.message.near(one.slots)}, {name: T.message.lists, cell: (one) => (one.flags || []).map((flag) => `${flag.symbol || flag.flag}: ${flag.value}`).join(', ')}], reply.matches, {caption: t.matches})) : null,
    (reply.hashes || []).length ? block(t.hashes, table([{name: t.kind, cell: (one) => said(one.kind, 60)}, {name: T.message.digest, cell: (one) => digest(one.digest)}, {name: T.rules.rule, cell: (one) => said(one.rule, 60)},
      {name: t.result, cell: (one) => [badge(one.result === 'hit' ? 'bad' : '', one.result), one.error ? [' ', said(one.error, 200)] : null]}], reply.hashes, {caption: t.hashes})) : null,
    (reply.headers || []).length ? block(t.headers, lines(reply.headers)) : null,
    block(T.message.features, features(reply.features)), block(T.message.counters, counterTable(reply.counters, T.message.no_counters)),
  ].filter(Boolean);
}

export async function show(root, {signal}) {
  heading(root, T.views.try, t.lead);
  if (!has('post', 'scan')) return root.append(notice('', T.error.no_route(T.views.try)));
  const out = el('div', {class: 'content', role: 'status'});
  const source = el('textarea', {class: 'code', rows: 7, spellcheck: 'false', placeholder: 'From: …\nSubject: …\n\n…'});
  const inputs = {ip: el('input', {placeholder: '192.0.2.1'}), helo: el('input'), from: el('input', {placeholder: 'sender@example.org'}), to: el('input'), user: el('input')};
  let turn = 0;
  const ask = async (body) => {
    const mine = ++turn;
    if (!body || body.size === 0) return clear(out).append(notice('warn', t.empty));
    if (body.size > BYTES_MAX) return clear(out).append(notice('warn', t.big));
    clear(out).append(notice('', T.rules.trying));
    const query = Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.value.trim()]));
    try {
      const reply = await question('scan', body, {query, type: 'message/rfc822', signal});
      if (mine !== turn) return undefined;
      append(clear(out), result(reply));
      out.querySelector('section')?.scrollIntoView({block: 'nearest'});
    } catch (error) {
      if (error.name !== 'AbortError') clear(out).append(notice('bad', told(error)));
    }
    return undefined;
  };
  const file = el('input', {type: 'file', accept: '.eml,message/rfc822,text/plain', class: 'unheard', tabindex: '-1', 'aria-label': t.choose, onchange: () => ask(file.files[0])});
  const drop = el('div', {class: 'drop'}, el('strong', null, t.drop), button(t.choose, () => file.click(), {kind: 'main'}), file);
  for (const kind of ['dragover', 'dragenter']) drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add('over'); });
  drop.addEventListener('dragleave', () => drop.classList.remove('over'));
  drop.addEventListener('drop', (event) => {
    event.preventDefault();
    drop.classList.remove('over');
    ask(event.dataTransfer.files[0] || new Blob([event.dataTransfer.getData('text')]));
  });
  root.append(el('section', {class: 'panel', 'aria-label': t.choose}, drop,
    el('details', null, el('summary', null, t.paste), el('div', {class: 'content'}, field(t.source, source), el('div', {class: 'buttons'}, button(t.ask, () => ask(source.value ? new Blob([source.value.replace(/\r?\n/g, '\r\n')]) : null), {kind: 'main'})))),
    el('details', null, el('summary', null, t.envelope), el('div', {class: 'form'}, Object.entries(inputs).map(([name, input]) => field(t[name], input))))), out);
  return undefined;
}
