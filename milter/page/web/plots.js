// Plots by Chart.js, each with a table behind it. Where Chart.js is not built in, the table is all there is.

import {el, number, scroller} from './dom.js';
import {T} from './texts.js';

let loading = null;
const charts = new Set();
const load = () => loading ??= import('./chart.js').then(() => globalThis.Chart || null, () => null);

export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function options(kind, {stacked, integers, xTitle, yTitle, ticks}) {
  const ink = colour('quiet');
  const grid = colour('plot-grid');
  const font = {family: getComputedStyle(document.body).fontFamily, size: Math.round(parseFloat(getComputedStyle(document.documentElement).fontSize) * .72)};
  return {
    animation: false, responsive: true, maintainAspectRatio: false, normalized: true,
    interaction: {mode: 'index', intersect: false},
    plugins: {legend: {display: false}, tooltip: {backgroundColor: '#1d2935', padding: 9, cornerRadius: 6, titleFont: font, bodyFont: font,
      filter: (item) => item.raw !== 0 || item.chart.data.datasets.length === 1}},
    scales: {
      x: {stacked, grid: {display: false}, border: {display: false}, title: {display: !!xTitle, text: xTitle, color: ink, font},
        ticks: {color: ink, font, maxRotation: 0, autoSkipPadding: 18, maxTicksLimit: ticks}},
      y: {stacked, beginAtZero: true, grid: {color: grid, drawBorder: false}, title: {display: !!yTitle, text: yTitle, color: ink, font},
        ticks: {color: ink, font, maxTicksLimit: 6, precision: integers ? 0 : undefined}},
    },
    elements: {point: {radius: 0, hitRadius: 8, hoverRadius: 4}, line: {borderWidth: 2, tension: .25}, bar: {borderRadius: 2}},
    datasets: {bar: {categoryPercentage: .96, barPercentage: .92, maxBarThickness: 46}},
    indexAxis: kind === 'across' ? 'y' : 'x',
  };
}

/// series: [{name, colour: 'plot-a', values}], labels: of the x axis. Returns a figure at once; the plot comes when it is loaded.
export function plot({title, kind = 'bar', labels, names = labels, series, stacked = false, integers = true, low = false,
  xTitle, yTitle, ticks, first = T.plot.time, show = (v) => number(v, 2)}) {
  const canvas = el('canvas', {role: 'img', 'aria-label': `${title}. ${T.plot.table_below}`});
  const box = el('div', {class: low ? 'plot low' : 'plot'}, canvas);
  const legend = series.length > 1 ? el('ul', {class: 'legend'}, series.map((one) => {
    const swatch = el('span', {class: 'swatch'});
    swatch.style.setProperty('--swatch', `var(--${one.colour})`);
    return el('li', null, swatch, one.name);
  })) : null;
  const head = el('tr', null, el('th', {scope: 'col'}, first), series.map((one) => el('th', {scope: 'col', class: 'number'}, one.name)));
  const behind = el('details', null, el('summary', null, T.plot.as_table));
  behind.addEventListener('toggle', () => {
    if (!behind.open || behind.children.length > 1) return;
    const rows = names.map((name, at) => ({name, values: series.map((one) => one.values[at])})).filter(
      (row) => names.length <= 40 || row.values.some((value) => value));
    const region = scroller(el('table', null, el('caption', {class: 'unheard'}, title), el('thead', null, head),
      el('tbody', null, rows.map((row) => el('tr', null, el('th', {scope: 'row'}, row.name),
        row.values.map((value) => el('td', {class: 'number'}, show(value))))))), title);
    region.classList.add('short');
    behind.append(region);
  });
  const figure = el('figure', null, legend, box, behind);
  load().then((Chart) => {
    if (!Chart) { box.remove(); behind.open = true; return; }
    if (!figure.isConnected) return;
    const chart = new Chart(canvas, {type: kind === 'line' ? 'line' : 'bar', data: {labels, datasets: series.map((one) => ({
      label: one.name, data: one.values, backgroundColor: colour(one.colour), borderColor: colour(one.colour), stack: stacked ? 'all' : undefined}))},
    options: options(kind, {stacked, integers, xTitle, yTitle, ticks: ticks || Math.max(3, Math.min(12, Math.floor(box.clientWidth / 68)))})});
    charts.add(chart);
  });
  return figure;
}

/// Charts whose canvas is gone give their memory back.
export function sweep() {
  for (const chart of charts) {
    if (chart.canvas && chart.canvas.isConnected) continue;
    chart.destroy();
    charts.delete(chart);
  }
}
