// Makes elements. Whatever comes from mail or from the API becomes text here, never markup.

const SVG = 'http://www.w3.org/2000/svg';
export const SHOWN_MAX = 300;

/// el('a', {class: 'x', href: '#', onclick: f}, 'text', node, [more])
export function el(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (key === 'value' || key === 'checked' || key === 'disabled') node[key] = value;
    else node.setAttribute(key, value === true ? '' : value);
  }
  append(node, children);
  return node;
}

export function append(node, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

export function icon(path) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS(SVG, 'path');
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}

// Control characters, marks that turn the direction of text, and others that nobody sees.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|[\u{e0000}-\u{e007f}]/gu;

/// What a stranger wrote: isolated from the direction of its surroundings, cut, with what is hidden made visible.
export function said(text, most = SHOWN_MAX) {
  if (text === null || text === undefined || text === '') return el('span', {class: 'none'}, '–');
  const all = Array.from(String(text));
  const shown = all.slice(0, most).join('');
  const out = el('bdi', {class: 'said', dir: 'auto'});
  let end = 0;
  for (const found of shown.matchAll(HIDDEN)) {
    out.append(shown.slice(end, found.index));
    const code = found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
    out.append(el('span', {class: 'hidden-mark'}, `U+${code}`));
    end = found.index + found[0].length;
  }
  out.append(shown.slice(end));
  if (all.length > most) out.append(el('span', {class: 'more'}, ` … ${number(all.length - most)} more characters`));
  return out;
}

export const number = (value, digits = 0) => value === null || value === undefined || Number.isNaN(value) ? '–' :
  Number(value).toLocaleString('en-GB', {maximumFractionDigits: digits, minimumFractionDigits: 0});
export const score = (value) => value === null || value === undefined ? '–' :
  `${value > 0 ? '+' : value < 0 ? '−' : ''}${Math.abs(value).toFixed(2)}`;
export const percent = (value) => value === null || value === undefined ? '–' : `${number(value * 100, 1)} %`;

export function bytes(value) {
  if (value === null || value === undefined) return '–';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let step = 0;
  while (value >= 1024 && step < units.length - 1) { value /= 1024; ++step; }
  return `${number(value, step ? 1 : 0)} ${units[step]}`;
}

export function duration(seconds) {
  if (seconds === null || seconds === undefined) return '–';
  if (seconds < 0.001) return `${number(seconds * 1e6)} µs`;
  if (seconds < 1) return `${number(seconds * 1000, 1)} ms`;
  if (seconds < 90) return `${number(seconds, 1)} s`;
  if (seconds < 5400) return `${number(seconds / 60)} min`;
  if (seconds < 129600) return `${number(seconds / 3600, 1)} h`;
  return `${number(seconds / 86400, 1)} d`;
}

/// A moment (text of ISO 8601, or Unix seconds) in the zone of the person who looks; the title has UTC.
export function moment(value, {date = true} = {}) {
  if (value === null || value === undefined || value === 0) return el('span', {class: 'none'}, '–');
  const when = dateOf(value);
  if (Number.isNaN(when.getTime())) return said(value);
  const today = when.toDateString() === new Date().toDateString();
  const two = (n) => String(n).padStart(2, '0');
  const clock = `${two(when.getHours())}:${two(when.getMinutes())}:${two(when.getSeconds())}`;
  const day = `${when.getFullYear()}-${two(when.getMonth() + 1)}-${two(when.getDate())}`;
  return el('time', {datetime: when.toISOString(), title: `${when.toISOString()} (UTC)`},
    today || !date ? clock : `${day} ${clock}`);
}

export function dateOf(value) {
  if (typeof value === 'number') return new Date(value * 1000);
  const text = String(value).trim().replace(' ', 'T');
  return new Date(/Z|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`);
}

export const digest = (text) => el('code', {class: 'digest', title: text}, `${String(text).slice(0, 16)}…`);

export function badge(kind, text) {
  return el('span', {class: `badge ${String(kind).replace(/[^a-z_]/g, '')}`}, text);
}

export function button(text, onclick, {kind = '', label = null, disabled = false, title = null} = {}) {
  return el('button', {type: 'button', class: kind, onclick, disabled, title, 'aria-label': label}, text);
}

/// columns: [{name, cell(row), number, wide, key}]. On a narrow screen a row becomes a card.
export function table(columns, rows, {caption, empty = 'Nothing here.', onrow = null, kind = ''} = {}) {
  if (rows.length === 0) return el('p', {class: 'empty'}, empty);
  const head = el('tr', null, columns.map((column) =>
    el('th', {scope: 'col', class: column.number ? 'number' : null},
      column.name || el('span', {class: 'unheard'}, column.unheard || 'Actions'))));
  const body = el('tbody', null, rows.map((row) => {
    const line = el('tr', {class: onrow ? 'link' : null}, columns.map((column) =>
      el('td', {'data-name': column.name || null,
        class: [column.number && 'number', column.wide && 'wide', column.kind].filter(Boolean).join(' ') || null},
      el('div', null, column.cell(row)))));
    if (onrow) line.addEventListener('click', (event) => {
      if (!event.target.closest('a,button,input,summary') && !String(getSelection())) onrow(row);
    });
    return line;
  }));
  return scroller(el('table', {class: `cards ${kind}`},
    caption ? el('caption', {class: 'unheard'}, caption) : null, el('thead', null, head), body), caption);
}

export function scroller(node, label) {
  return el('div', {class: 'scroll', tabindex: '0', role: 'group', 'aria-label': label || 'Table'}, node);
}

export function facts(pairs) {
  return el('dl', {class: 'facts'}, pairs.filter(Boolean).map(([name, value]) =>
    el('div', null, el('dt', null, name), el('dd', null, value))));
}

export function notice(kind, ...children) {
  return el('div', {class: `notice ${kind}`}, children);
}

let ids = 0;
/// A label with its input: field('Sender', el('input'), 'help').
export function field(name, input, help) {
  input.id = input.id || `field-${++ids}`;
  const hint = help ? el('span', {class: 'help', id: `${input.id}-help`}, help) : null;
  if (hint) input.setAttribute('aria-describedby', hint.id);
  return el('div', {class: 'field'}, el('label', {for: input.id}, name), input, hint);
}

export function select(options, chosen, onchange) {
  const out = el('select', {onchange: onchange && (() => onchange(out.value))}, options.map(([value, text]) =>
    el('option', {value}, text)));
  out.value = chosen ?? options[0][0];
  return out;
}

export function clear(node) {
  node.replaceChildren();
  return node;
}
