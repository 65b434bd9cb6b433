// Rules: what they did, and a condition that is checked while it is typed and tried on the history.

import {can, del, get, has, post, question} from '../api.js';
import {act} from '../act.js';
import {append, badge, button, clear, el, facts, field, moment, notice, number, said, score, select, table} from '../dom.js';
import {listen} from '../live.js';
import {action, effectOf, failed, heading, messageLink, offNotice, panel, undoBy} from '../parts.js';
import {T} from '../texts.js';

const t = T.rules;
const CHECK_MS = 250;
const link = (name) => `#/rules/${encodeURIComponent(name)}`;
const state = (rule) => badge(rule.live ? 'live' : rule.enabled === false ? '' : 'shadow', rule.live ? t.live : rule.enabled === false ? t.off : t.shadow);

export async function show(root, {rest, query, signal}) {
  if (rest.length) return oneRule(root, rest[0], signal);
  if (query.has('new')) return editor(root, {}, signal);
  return list(root, signal);
}

function list(root, signal) {
  heading(root, T.views.rules, t.lead, has('post', 'rules/check') ? el('a', {class: 'button', href: '#/rules?new'}, t.new) : null);
  const filter = el('input', {type: 'search', placeholder: t.filter, 'aria-label': t.filter});
  const only = el('input', {type: 'checkbox'});
  const out = el('div', {class: 'content'});
  const page = panel(T.views.rules, async () => {
    const reply = await get('rules', {}, signal);
    const draw = () => {
      const word = filter.value.trim().toLowerCase();
      const fit = reply.rules.filter((rule) => (!word || `${rule.name} ${rule.condition} ${rule.group || ''}`.toLowerCase().includes(word)) && (!only.checked || rule.fired || rule.messages));
      clear(out).append(table([
        {name: t.rule, kind: 'fit', cell: (rule) => [el('a', {href: link(rule.name)}, said(rule.name, 80)), el('code', {class: 'why quiet small'}, said(rule.condition, 140))]},
        {name: t.state, cell: (rule) => [state(rule), rule.proposal ? [' ', badge('proposed', t.proposal)] : null]},
        {name: t.score, number: true, cell: (rule) => rule.action ? action(rule.action) : score(rule.score)}, {name: t.fired, number: true, cell: (rule) => number(rule.fired)},
        {name: t.messages, number: true, cell: (rule) => number(rule.messages)}, {name: t.spam, number: true, cell: (rule) => number(rule.spam)}, {name: t.ham, number: true, cell: (rule) => number(rule.ham)},
        {name: t.so, number: true, cell: (rule) => rule.s_o === null || rule.s_o === undefined ? '–' : rule.s_o.toFixed(2)},
      ], fit, {caption: T.views.rules, empty: t.none, kind: 'rules', onrow: (rule) => { location.hash = link(rule.name); }}));
    };
    filter.oninput = draw;
    only.onchange = draw;
    draw();
    const proposed = reply.rules.filter((rule) => rule.proposal);
    return [offNotice(reply), proposed.length ? notice('warn', el('strong', null, t.waits), proposed.map((rule) => el('div', null, el('a', {href: link(rule.name)}, said(rule.name, 80)), ': ', said(rule.proposal, 300)))) : null,
      el('div', {class: 'form'}, el('div', {class: 'field grow'}, filter), el('label', {class: 'check'}, only, t.only)), out,
      reply.looked_at ? el('p', {class: 'help'}, t.looked(reply.looked_at)) : null];
  }, {route: ['get', 'rules']});
  root.append(page);
  listen('state', (change) => { if (change.what === 'rule' || change.what === 'reload') page.again(); }, signal);
}

function turn(rule, to, again) {
  if (!can('post', `rules/{name}/${to}`)) return null;
  const path = `rules/${encodeURIComponent(rule.name)}/${to}`;
  const live = to === 'live';
  return button(live ? t.take_live : t.take_shadow, () => act({title: live ? t.live_title : t.shadow_title, what: live ? t.live_what : t.shadow_what, verb: live ? t.take_live : t.take_shadow, kind: live ? 'main' : '', after: again,
    effect: async () => effectOf(await post(path, {try: 'yes'})),
    run: async () => {
      const reply = await post(path);
      return {text: live ? t.now_live(rule.name) : t.now_shadow(rule.name), undo: reply.undo ? () => undoBy(reply.undo) : null};
    }}), {kind: live ? 'main' : ''});
}

function dropDecision(rule, again) {
  if (!rule.decision || !can('delete', 'rules/{name}/decision')) return null;
  const path = `rules/${encodeURIComponent(rule.name)}/decision`;
  return button(t.drop, () => act({title: t.drop_title, what: t.drop_what, verb: t.drop, after: again, effect: async () => effectOf(await del(path, {try: 'yes'})), run: async () => {
    const reply = await del(path);
    return {text: t.dropped, undo: reply.undo ? () => undoBy(reply.undo) : null};
  }}));
}

async function oneRule(root, name, signal) {
  root.append(el('p', null, el('a', {href: '#/rules'}, `← ${t.back}`)));
  let rule;
  const top = el('div', {class: 'content'});
  const draw = async () => {
    rule = await get(`rules/${encodeURIComponent(name)}`, {}, signal);
    clear(top);
    append(top, [el('div', {class: 'heading'}, el('h1', {tabindex: '-1'}, said(rule.name, 100)), state(rule)), el('section', {class: 'panel', 'aria-label': t.rule},
      rule.proposal ? notice('warn', el('strong', null, t.proposal), said(rule.proposal, 400)) : null,
      facts([[t.score, score(rule.score)], rule.action ? [t.action, action(rule.action)] : null, rule.group ? [t.group, said(rule.group, 100)] : null, rule.reason ? [t.reason, said(rule.reason, 300)] : null,
        [t.fired, number(rule.fired)], [`${t.spam} / ${t.ham}`, `${number(rule.spam)} / ${number(rule.ham)}`], [t.so, rule.s_o === null || rule.s_o === undefined ? '–' : rule.s_o.toFixed(2)],
        rule.state ? [t.judged, [said(rule.state, 100), rule.note ? [': ', said(rule.note, 300)] : null]] : null, [t.place, el('code', null, said(rule.place, 300))], rule.decision ? [t.state, [t.decision(rule.decision), ' ', moment(rule.decision.at)]] : null]),
      el('div', {class: 'buttons'}, rule.enabled === false ? null : turn(rule, rule.live ? 'shadow' : 'live', draw), dropDecision(rule, draw), el('a', {class: 'button', href: `#/messages?symbol=${encodeURIComponent(rule.name)}`}, t.messages)))]);
  };
  root.append(top);
  try { await draw(); } catch (error) { if (error.name !== 'AbortError') top.append(failed(error, draw)); return; }
  editor(root, rule, signal);
}

/// A text field for a condition; `underline(mistakes)` marks them.
function conditionField(text) {
  const under = el('div', {class: 'under', 'aria-hidden': 'true'});
  const area = el('textarea', {class: 'code', rows: 4, spellcheck: 'false', autocapitalize: 'none', value: text, placeholder: t.template, 'aria-describedby': 'mistakes'});
  area.addEventListener('scroll', () => { under.scrollTop = area.scrollTop; });
  const underline = (mistakes) => {
    clear(under);
    const letters = Array.from(area.value);
    let at = 0;
    for (const one of mistakes.filter((each) => each.part === undefined || each.part === 'condition').sort((a, b) => a.column - b.column)) {
      const from = Math.max(at, Math.min(one.column - 1, letters.length));
      const to = Math.min(from + Math.max(1, one.length), Math.max(letters.length, from));
      under.append(letters.slice(at, from).join(''), el('mark', null, letters.slice(from, to).join('') || '\u00a0\u00a0'));
      at = to;
    }
    under.append(letters.slice(at).join(''), '\n');
    area.setAttribute('aria-invalid', String(mistakes.length > 0));
  };
  return {area, underline, box: el('div', {class: 'condition'}, area, under)};
}

function tried(reply) {
  const changes = reply.changes || [];
  return el('div', {class: 'content'},
    el('div', {class: 'tiles'}, [[t.hits, reply.hits.all], [t.spam, reply.hits.spam], [t.ham, reply.hits.ham], [t.complained, reply.hits.complained], [t.rescued, reply.hits.rescued], [t.so, reply.s_o === null ? null : reply.s_o]].map(([name, value]) =>
      el('div', {class: 'tile'}, el('div', {class: 'name'}, name), el('div', {class: 'value'}, value === null ? '–' : number(value, 2))))),
    el('p', null, el('strong', null, t.change(reply.would_change)), ` / ${number(reply.messages.all)}. `, changes.map((one) => [action(one.from), ' → ', action(one.to), ` ${number(one.count)}  `])),
    (reply.lacking || []).map((one) => notice('warn', t.lacking(one.window, one.messages))), reply.complete === false ? notice('warn', t.incomplete) : null,
    (reply.examples || []).length ? table([{name: T.messages.time, kind: 'short', cell: (one) => el('a', {href: messageLink(one.id)}, moment(one.time))}, {name: T.messages.sender, kind: 'fit', cell: (one) => said(one.sender, 80)}, {name: T.messages.subject, kind: 'fit', cell: (one) => said(one.subject, 100)},
      {name: t.is, cell: (one) => [action(one.from), ' ', score(one.score_from)]}, {name: t.would, cell: (one) => [action(one.to), ' ', score(one.score_to)]}], reply.examples, {caption: t.would}) : null);
}

function editor(root, rule, signal) {
  const isNew = !rule.name;
  if (isNew) {
    root.append(el('p', null, el('a', {href: '#/rules'}, `← ${t.back}`)));
    heading(root, t.new);
  }
  if (!has('post', 'rules/check')) return;
  const name = el('input', {value: rule.name || 'MY_RULE', maxlength: 100, spellcheck: 'false'});
  const points = el('input', {value: rule.score === null || rule.score === undefined ? (isNew ? '3' : '') : String(rule.score), inputmode: 'decimal', maxlength: 12});
  const what = select([['', t.no_action], ...['add_header', 'quarantine', 'tempfail', 'reject', 'discard'].map((one) => [one, T.actions[one]])], rule.action || '');
  const condition = conditionField(rule.condition || '');
  const verdict = el('div', {id: 'mistakes', role: 'status', class: 'content'});
  const keep = el('div', {class: 'content'});
  const result = el('div', {class: 'content', role: 'status'});
  const wanted = () => ({if: condition.area.value, name: name.value.trim(), ...(points.value.trim() === '' ? {} : {score: Number(points.value.replace('−', '-').replace(',', '.'))}), ...(what.value ? {action: what.value} : {})});
  let timer = 0;
  let turnOf = 0;
  const check = async () => {
    const mine = ++turnOf;
    clear(result);
    if (!condition.area.value.trim()) { condition.underline([]); clear(verdict).append(el('p', {class: 'help'}, t.language)); clear(keep); return false; }
    let reply;
    try {
      reply = await question('rules/check', wanted(), {signal});
    } catch (error) {
      if (error.name !== 'AbortError' && mine === turnOf) clear(verdict).append(failed(error));
      return false;
    }
    if (mine !== turnOf) return false;
    condition.underline(reply.mistakes || []);
    clear(verdict).append(...(reply.ok ? [notice('good', t.good)] : reply.mistakes.map((one) => notice('bad', el('span', null, one.part && one.part !== 'condition' ? `${one.part}: ${one.text}${one.hint ? ` ${one.hint}` : ''}` : t.column(one.column, one.text, one.hint))))));
    const quoted = condition.area.value.trim().replace(/\s*\n\s*/g, '\n        ');
    clear(keep);
    if (reply.ok) keep.append(el('details', null, el('summary', null, t.keep), el('pre', null, `rules:\n  ${name.value.trim()}:\n    if: >-\n        ${quoted}\n${points.value.trim() ? `    score: ${points.value.trim()}\n` : ''}${what.value ? `    action: ${what.value}\n` : ''}    shadow: yes\n`)));
    return reply.ok;
  };
  const typed = () => { condition.underline([]); clearTimeout(timer); timer = setTimeout(check, CHECK_MS); };
  condition.area.addEventListener('input', typed);
  for (const input of [name, points, what]) input.addEventListener('input', typed);
  const go = button(t.try, async () => {
    clearTimeout(timer);
    go.disabled = true;
    if (await check()) {
      clear(result).append(notice('', t.trying));
      try {
        clear(result).append(tried(await question('rules/try', {...wanted(), since: '7d'}, {signal})));
      } catch (error) {
        if (error.name !== 'AbortError') clear(result).append(failed(error));
      }
    }
    go.disabled = false;
  }, {kind: 'main'});
  condition.area.id = 'condition';
  root.append(el('section', {class: 'panel', 'aria-label': t.edit}, el('header', null, el('h2', null, t.edit)),
    el('div', {class: 'field'}, el('label', {for: 'condition'}, t.condition), condition.box), verdict,
    el('div', {class: 'form'}, field(t.name, name), field(t.score, points), field(t.action, what), el('div', {class: 'buttons'}, go)), result, keep));
  check();
}
