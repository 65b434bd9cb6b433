// The frame of the page: views, who looks, the line of the live stream.

import {learnRoutes, may, onReach, onSession, session, signIn, signOut, who} from './api.js';
import {done, onDone, told} from './act.js';
import {append, button, clear, el, field, icon, notice, select} from './dom.js';
import * as live from './live.js';
import {sweep} from './plots.js';
import {T} from './texts.js';

const ICONS = {
  now: 'M2 11h4l2-6 4 11 2-5h4', messages: 'M3 5h14v10H3zM3 6l7 5 7-5', try: 'M8 3h4M9 3v5l-5 8h12l-5-8V3', cases: 'M4 17V4h10l-2 3 2 3H4',
  counters: 'M4 16V9M10 16V4M16 16v-5', rules: 'M4 6h8M4 10h12M4 14h6M15 4l2 2-2 2', hashes: 'M4 7h12M4 13h12M8 3 6 17M14 3l-2 14',
  files: 'M5 2h7l4 4v12H5zM12 2v4h4', limits: 'M3 14a7 7 0 0 1 14 0M10 14l3-5', model: 'M10 3v4M5 13v4M15 13v4M10 7 5 13M10 7l5 6', system: 'M3 4h14v9H3zM7 17h6M10 13v4',
};
const GROUPS = [['mail', ['now', 'messages', 'try', 'cases']], ['knowledge', ['counters', 'rules', 'hashes', 'files', 'model']],
  ['machine', ['limits', 'system']]];
const main = document.getElementById('main');
const nav = document.getElementById('nav');
const menu = document.getElementById('menu');
let ending = new AbortController();
let shown = '';

export function place() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const [view, ...rest] = path.split('/');
  return {view: view || 'now', rest: rest.map(decodeURIComponent), query: new URLSearchParams(query || '')};
}

function drawNav() {
  clear(nav);
  for (const [group, views] of GROUPS) {
    append(nav, el('div', null, el('h2', {id: `nav-${group}`}, T.groups[group]), el('ul', {'aria-labelledby': `nav-${group}`},
      views.map((view) => el('li', null, el('a', {href: `#/${view}`, 'aria-current': place().view === view ? 'page' : null},
        icon(ICONS[view]), T.views[view]))))));
  }
}

function signInForm(cancel) {
  const failed = el('div', {role: 'alert'});
  const name = el('input', {name: 'name', autocomplete: 'username', required: true, maxlength: 64});
  const password = el('input', {name: 'password', type: 'password', autocomplete: 'current-password', required: true, maxlength: 1024});
  const go = el('button', {class: 'main', type: 'submit'}, T.who.sign_in);
  return el('form', {class: 'content', onsubmit: async (event) => {
    event.preventDefault();
    go.disabled = true;
    clear(failed);
    try {
      await signIn(name.value, password.value);
      event.target.closest('dialog')?.close();
    } catch (error) {
      failed.append(notice('bad', error.status === 0 ? told(error) : error.message));
      password.value = '';
      password.focus();
    }
    go.disabled = false;
  }}, field(T.who.name, name), field(T.who.password, password), failed, el('div', {class: 'buttons'}, cancel, go),
  el('p', {class: 'help'}, T.who.hint));
}

function drawWho() {
  const box = clear(document.getElementById('who'));
  let wanted = 'auto';
  try { wanted = localStorage.getItem('shingled-theme') || 'auto'; } catch { /* storage is off */ }
  const theme = select(Object.entries(T.who.themes), wanted, (value) => {
    try { localStorage.setItem('shingled-theme', value); } catch { /* storage is off */ }
    dispatchEvent(new Event('shingled-theme-wanted'));
  });
  theme.setAttribute('aria-label', T.who.theme);
  const name = session.role === 'off' ? T.who.nobody : `${session.name || T.who.machine} · ${session.role}`;
  append(box, [el('span', {class: 'name', title: name}, name), theme]);
  if (session.role !== 'off' && session.name) {
    box.append(button(T.who.sign_out, async () => {
      try { await signOut(); done(T.who.signed_out); } catch (error) { done(told(error)); }
    }, {kind: 'small'}));
  } else {
    box.append(button(T.who.sign_in, () => {
      const dialog = el('dialog', {'aria-labelledby': 'sign-in-title'}, el('div', {class: 'content'},
        el('h2', {id: 'sign-in-title'}, T.who.welcome), signInForm(button(T.act.cancel, () => dialog.close()))));
      dialog.addEventListener('close', () => dialog.remove());
      document.body.append(dialog);
      dialog.showModal();
    }, {kind: 'small'}));
  }
}

function heading(title) {
  return el('div', {class: 'heading'}, el('h1', {tabindex: '-1'}, title));
}

async function show({focus = true} = {}) {
  ending.abort();
  ending = new AbortController();
  const signal = ending.signal;
  const at = place();
  const known = ICONS[at.view] !== undefined;
  nav.classList.remove('open');
  menu.setAttribute('aria-expanded', 'false');
  drawNav();
  document.title = `${known ? T.views[at.view] : '?'} · shingled`;
  const other = shown !== at.view;
  shown = at.view;
  clear(main);
  sweep();
  if (!known) return append(main, [heading(T.error.no_view), el('a', {href: '#/now'}, T.views.now)]);
  if (!may('read') && at.view !== 'system') {
    append(main, [heading(session.role === 'off' ? T.who.welcome : T.views[at.view]),
      el('section', {class: 'panel'}, session.role === 'off' ? null : notice('warn', T.error.role(session.role)), signInForm())]);
    return undefined;
  }
  try {
    const view = await import(`./views/${at.view}.js`);
    if (signal.aborted) return undefined;
    await view.show(main, {...at, signal});
  } catch (error) {
    if (!signal.aborted && error.name !== 'AbortError') append(main, notice('bad', told(error)));
  }
  if (focus && other) main.querySelector('h1')?.focus({preventScroll: true});
  return undefined;
}

function drawLive() {
  const line = document.getElementById('live');
  line.dataset.state = live.liveMode();
  line.lastElementChild.textContent = T.live[live.liveMode()];
  line.title = T.live[live.liveMode()];
}

function watchReach() {
  const banner = document.getElementById('banner');
  onReach((yes) => {
    banner.hidden = yes;
    banner.textContent = yes ? '' : T.error.away;
    if (!yes) knock(1000);
    else { live.begin(); show({focus: false}); }
  });
}

function knock(wait) {
  setTimeout(() => who().catch(() => knock(Math.min(wait * 2, 15000))), wait);
}

async function start() {
  watchReach();
  menu.addEventListener('click', () => {
    const open = nav.classList.toggle('open');
    menu.setAttribute('aria-expanded', String(open));
  });
  addEventListener('hashchange', () => { scrollTo(0, 0); show(); });
  addEventListener('shingled-theme', () => show({focus: false}));
  live.listen('mode', drawLive);
  drawNav();
  drawLive();
  onDone(() => show({focus: false}));
  try {
    await Promise.all([learnRoutes(), who()]);
  } catch (error) {
    append(clear(main), [heading('shingled'), notice('bad', told(error))]);
    return knockUntilStarted();
  }
  onSession(() => { drawWho(); live.begin(); show({focus: false}); });
  drawWho();
  live.begin();
  return show({focus: false});
}

function knockUntilStarted() {
  setTimeout(() => Promise.all([learnRoutes(), who()]).then(() => location.reload(), knockUntilStarted), 3000);
}

start();
