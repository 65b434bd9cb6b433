// What comes in, live.

import {get, has} from '../api.js';
import {append, button, clear, dateOf, duration, el, moment, notice, number, percent, said, table} from '../dom.js';
import {listen} from '../live.js';
import {heading, messageColumns, messageLink, offNotice, panel, segments} from '../parts.js';
import {plot} from '../plots.js';
import {T} from '../texts.js';

const ACTIONS = ['pass', 'add_header', 'tempfail', 'quarantine', 'reject', 'discard'];
const LAST = 12;
const AGAIN_MS = 20000;

function linkOf(link) {
  if (!link) return null;
  const [view, ...rest] = String(link).replace(/^\/?(api\/1\/)?/, '').split('/');
  return `#/${[view, ...rest].map(encodeURIComponent).join('/')}`;
}

function tiles(overview) {
  const sums = {};
  for (const slot of overview.minutes) for (const [name, count] of Object.entries(slot.actions || {})) sums[name] = (sums[name] || 0) + count;
  const all = Object.values(sums).reduce((a, b) => a + b, 0);
  const tile = (name, value, more) => el('div', {class: 'tile'}, el('div', {class: 'name'}, name), el('div', {class: 'value'}, value), more ? el('div', {class: 'more'}, more) : null);
  const time = overview.verdict_ms;
  const stopped = all - (sums.pass || 0);
  return el('div', {class: 'tiles'},
    tile(T.now.messages, number(all), T.now.spans[overview.span]),
    tile(T.now.stopped, number(stopped), all ? percent(stopped / all) : null),
    time ? tile(T.now.verdict, time.p50 === null ? '–' : duration(time.p50 / 1000), time.p99 === null ? null : [T.now.verdict_more, duration(time.p99 / 1000)]) : null,
    overview.waiting ? tile(T.now.waiting, number(overview.waiting.messages), T.now.waiting_more(overview.waiting.history ?? 0)) : null);
}

function overTime(overview) {
  const two = (n) => String(n).padStart(2, '0');
  const names = overview.minutes.map((slot) => {
    const at = dateOf(slot.time);
    const clock = `${two(at.getHours())}:${two(at.getMinutes())}`;
    return overview.span === '14d' ? `${at.toLocaleDateString('en-GB', {day: 'numeric', month: 'short'})} ${clock}` : clock;
  });
  const used = ACTIONS.filter((name) => name === 'pass' || overview.minutes.some((slot) => slot.actions?.[name]));
  return plot({title: T.now.over_time, labels: names, stacked: true,
    series: used.map((name) => ({name: T.actions[name], colour: `plot-${name}`, values: overview.minutes.map((slot) => slot.actions?.[name] || 0)}))});
}

function scores(overview) {
  const range = (one) => one.from === null ? `< ${one.to}` : one.to === null ? `≥ ${one.from}` : `${one.from} ${T.now.to} ${one.to}`;
  return plot({title: T.now.scores, first: T.now.score, labels: overview.scores.map((one) => one.from === null ? `<${one.to}` : String(one.from)),
    names: overview.scores.map(range), series: [{name: T.now.messages, colour: 'plot-a', values: overview.scores.map((one) => one.messages)}]});
}

export function steps(setup) {
  return el('ol', {class: 'steps'}, setup.map((one) => el('li', {class: one.done ? 'done' : null},
    el('span', {class: 'tick', 'aria-hidden': 'true'}, one.done ? '✓' : ''),
    el('div', {class: 'body'}, el('div', null, el('span', {class: 'unheard'}, `${one.done ? T.now.done : T.now.open}: `), said(one.text, 400)),
      one.command && !one.done ? el('div', {class: 'buttons'}, el('code', null, one.command), button(T.now.copy, async (event) => {
        try { await navigator.clipboard.writeText(one.command); event.target.textContent = T.now.copied; } catch { /* the text can be marked */ }
      }, {kind: 'small', label: `${T.now.copy}: ${one.command}`})) : null))));
}

export async function show(root, {signal, query}) {
  let span = query.get('span') || '1h';
  const figures = el('div', {class: 'content'});
  const first = el('div', {class: 'content'});
  let timer = 0;
  let drawn = '';
  const draw = async () => {
    clearTimeout(timer);
    if (!has('get', 'overview')) return clear(figures).append(notice('', T.error.no_route(T.now.messages)));
    let overview;
    try {
      overview = await get('overview', {span}, signal);
    } catch (error) {
      if (error.name !== 'AbortError') timer = setTimeout(draw, AGAIN_MS);
      if (!drawn && error.name !== 'AbortError') clear(figures).append(notice('warn', error.message));
      return undefined;
    }
    if (signal.aborted || overview.span !== span) return undefined;
    timer = setTimeout(draw, overview.complete === false ? 300 : AGAIN_MS);
    const seen = JSON.stringify([overview.minutes, overview.scores, overview.attention, overview.setup, overview.waiting, overview.verdict_ms]);
    if (seen === drawn) return undefined;
    drawn = seen;
    const attention = overview.attention || [];
    clear(figures).append(...[offNotice(overview), tiles(overview),
      attention.length ? el('section', {class: 'panel', 'aria-label': T.now.attention}, el('header', null, el('h2', null, T.now.attention)),
        el('ul', {class: 'attention'}, attention.map((one) => el('li', null, el('a', {href: linkOf(one.link) || '#/system'}, said(one.text, 400)))))) : null,
      overview.complete === false ? el('p', {class: 'quiet small'}, T.now.partly(moment(overview.from))) : null,
      el('div', {class: 'grid stretch'},
        el('section', {class: 'panel', 'aria-label': T.now.over_time}, el('header', null, el('h2', null, T.now.over_time), el('span', {class: 'note'}, T.now.step(overview.step))), overTime(overview)),
        el('section', {class: 'panel', 'aria-label': T.now.scores}, el('header', null, el('h2', null, T.now.scores)),
          overview.scores.length ? scores(overview) : el('p', {class: 'empty'}, T.now.no_mail)))].filter(Boolean));
    const setup = overview.setup || [];
    const all = setup.every((one) => one.done);
    clear(first);
    if (setup.length && !all) {
      const mail = setup.find((one) => one.step === 'mail');
      const list = steps(setup);
      append(first, el('section', {class: 'panel', 'aria-label': T.now.setup}, mail?.done
        ? el('details', null, el('summary', null, `${T.now.setup}: ${setup.filter((one) => one.done).length} / ${setup.length}`), list)
        : [el('header', null, el('h2', null, T.now.setup)), list]));
    }
    return undefined;
  };
  heading(root, T.views.now, T.now.lead, segments(Object.entries(T.now.spans), span, (value) => { span = value; drawn = ''; draw(); }, T.now.span));
  let newest = [];
  const list = el('div', {class: 'content'});
  const drawList = (fresh = null) => {
    clear(list).append(table(messageColumns(), newest, {caption: T.now.last, empty: T.now.no_mail, kind: 'list', onrow: (one) => { location.hash = messageLink(one.id); }}));
    if (fresh) list.querySelector('tbody tr')?.classList.add('new');
  };
  const last = panel(T.now.last, async () => {
    const reply = await get('messages', {most: LAST}, signal);
    newest = reply.messages;
    drawList();
    return [offNotice(reply), list];
  }, {tools: el('a', {href: '#/messages'}, T.now.all), route: ['get', 'messages']});
  root.append(first, figures, last);
  let waits = 0;
  listen('message', (message) => {
    newest = [message, ...newest.filter((one) => one.id !== message.id)].slice(0, LAST);
    drawList(message);
    if (!waits) waits = setTimeout(() => { waits = 0; draw(); }, 2000);
  }, signal);
  listen('state', (state) => { if (state.what !== 'connected') draw(); else if (newest.length) last.again(); }, signal);
  signal.addEventListener('abort', () => { clearTimeout(timer); clearTimeout(waits); });
  await draw();
}
