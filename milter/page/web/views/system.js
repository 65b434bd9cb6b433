// The daemon and what it works with.

import {get, url} from '../api.js';
import {badge, clear, duration, el, facts, moment, number, said, table} from '../dom.js';
import {listen} from '../live.js';
import {heading, panel} from '../parts.js';
import {T} from '../texts.js';

const t = T.system;
const ROWS_MAX = 400;

function value(fact) {
  const state = fact.state === 'warning' || fact.state === 'bad' ? [' ', badge(fact.state === 'bad' ? 'bad' : 'marked', t[fact.state])] : null;
  return [said(fact.text ?? String(fact.value ?? '–'), 600), state];
}

function groupPanel(group) {
  const warnings = group.name === 'warnings';
  return el('section', {class: 'panel', 'aria-label': group.title}, el('header', null, el('h2', null, said(group.title, 80))),
    warnings ? table([{name: T.messages.time, kind: 'short', cell: (fact) => moment(fact.value)}, {name: t.name, cell: (fact) => el('code', null, said(fact.name, 80))}, {name: t.value, kind: 'fit', cell: (fact) => said(fact.text, 500)}], group.facts, {caption: t.log, empty: '–'})
      : facts(group.facts.map((fact) => [said(fact.title || fact.name, 100), value(fact)])));
}

export async function show(root, {signal}) {
  heading(root, T.views.system, t.lead, el('a', {class: 'button', href: url('openapi.json')}, t.api));
  const filter = el('input', {type: 'search', placeholder: t.filter, 'aria-label': `${t.metrics}: ${t.filter}`});
  const metrics = el('div', {class: 'content'});
  const groups = el('div', {class: 'grid'});
  let known = {};
  const drawMetrics = () => {
    const rows = Object.entries(known).flatMap(([name, samples]) => (Array.isArray(samples) ? samples : [samples]).map((sample) => ({name, ...sample}))).filter((row) => row.name.includes(filter.value.trim())).slice(0, ROWS_MAX);
    const region = table([{name: t.name, kind: 'fit', cell: (row) => el('code', null, row.name)}, {name: t.labels, kind: 'fit', cell: (row) => said(Object.entries(row.labels || {}).map(([k, v]) => `${k}=${v}`).join(', ') || null, 120)}, {name: t.value, number: true, cell: (row) => row.value === undefined ? number(row.count) : number(row.value, 3)}], rows, {caption: t.metrics, empty: t.none});
    region.classList.add('short');
    clear(metrics).append(region);
  };
  filter.addEventListener('input', drawMetrics);
  const page = panel('', async () => {
    const system = await get('system', {}, signal);
    known = system.metrics || {};
    drawMetrics();
    const chart = await import('../chart.js').then(() => globalThis.Chart?.version, () => null);
    clear(groups).append(...(system.groups || []).map(groupPanel));
    return [facts([[t.version, said(system.version, 60)], [t.state, badge(system.state === 'serving' ? 'live' : 'marked', system.state)], [t.uptime, duration(system.uptime)], [t.page, chart ? [`Chart.js ${chart} (`, el('a', {href: new URL('../licences.txt', import.meta.url)}, t.licence), ')'] : t.none_plots]])];
  });
  root.append(page, groups, el('section', {class: 'panel', 'aria-label': t.metrics}, el('details', null, el('summary', null, t.metrics), el('div', {class: 'content'}, el('div', {class: 'form'}, el('div', {class: 'field grow'}, filter)), metrics))));
  listen('state', () => page.again(), signal);
}
