// The stream of events: messages as they are judged, and changes of state. It begins again by itself, and rests while
// nobody sees the page, because a browser has few connections to one server and the daemon has few readers.

import {can, url} from './api.js';

const PATIENCE_MS = [1000, 2000, 5000, 10000, 30000];
const takers = {message: new Set(), state: new Set(), mode: new Set()};
let source = null;
let tries = 0;
let timer = 0;
let mode = 'off';

/// Until `signal` is aborted. kind: 'message', 'state', or 'mode' (on, lost, off).
export function listen(kind, take, signal) {
  takers[kind].add(take);
  if (signal) signal.addEventListener('abort', () => takers[kind].delete(take));
}

function tell(kind, value) {
  for (const take of takers[kind]) take(value);
}

function say(now) {
  if (mode === now) return;
  mode = now;
  tell('mode', now);
}
export const liveMode = () => mode;

function end() {
  clearTimeout(timer);
  if (source) source.close();
  source = null;
}

function later() {
  end();
  say('lost');
  timer = setTimeout(begin, PATIENCE_MS[Math.min(tries++, PATIENCE_MS.length - 1)]);
}

export function begin() {
  end();
  if (!can('get', 'events')) return say('off');
  if (document.hidden) return undefined;
  source = new EventSource(url('events'));
  source.addEventListener('open', () => { tries = 0; say('on'); });
  source.addEventListener('error', () => { if (source) later(); });
  for (const kind of ['message', 'state']) {
    source.addEventListener(kind, (event) => {
      let value;
      try { value = JSON.parse(event.data); } catch { return; }
      tell(kind, value);
    });
  }
  return undefined;
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden) end();
  else begin();
});
addEventListener('pagehide', end);
