// Asks the daemon. The base of all addresses is found from this file, so that it works below any prefix of a proxy.

const root = new URL('../', import.meta.url);
const base = new URL('api/1/', root);

export class Problem extends Error {
  constructor(status, detail, retry) {
    super(detail);
    this.status = status;
    this.retry = retry;
  }
}

export const session = {name: '', role: 'off', token: '', known: false};
let routes = null;
const watchers = new Set();
export const onSession = (take) => watchers.add(take);
const outage = new Set();
export const onReach = (take) => outage.add(take);
let reached = true;

function reach(yes) {
  if (reached === yes) return;
  reached = yes;
  for (const take of outage) take(yes);
}

export function url(path, query) {
  const out = new URL(path, base);
  for (const [name, value] of Object.entries(query || {}))
    if (value !== '' && value !== null && value !== undefined) out.searchParams.set(name, value);
  return out;
}

async function send(method, path, {query, body, type, signal} = {}) {
  const headers = {};
  if (method !== 'GET') headers['X-Shingled-Token'] = session.token;
  if (body !== undefined) headers['Content-Type'] = type || 'application/json';
  let reply;
  try {
    reply = await fetch(url(path, query), {method, headers, signal, cache: 'no-store', credentials: 'same-origin',
      body: body === undefined ? undefined : typeof body === 'object' && !(body instanceof Blob) ? JSON.stringify(body) : body});
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    reach(false);
    throw new Problem(0, 'The daemon does not answer.');
  }
  reach(true);
  const text = await reply.text();
  let answer = null;
  try { answer = JSON.parse(text); } catch { /* not JSON: said below */ }
  if (reply.ok && answer !== null) return answer;
  const why = (answer && answer.detail) || `The answer has the status ${reply.status}.`;
  throw new Problem(reply.ok ? 502 : reply.status, why, Number(reply.headers.get('Retry-After')) || 0);
}

/// A change that failed because the token is an old one (the daemon began anew) is sent once more with the new one.
async function change(method, path, options) {
  try {
    return await send(method, path, options);
  } catch (error) {
    if (error.status !== 403 && error.status !== 401) throw error;
    const before = session.token;
    await who();
    if (session.token === before) throw error;
    return send(method, path, options);
  }
}

async function ask(path, query, signal) {
  try {
    return await send('GET', path, {query, signal});
  } catch (error) {
    if (error.status === 401) await who();
    throw error;
  }
}

export const get = (path, query, signal) => ask(path, query, signal);
export const post = (path, query, body, type) => change('POST', path, {query, body, type});
export const del = (path, query) => change('DELETE', path, {query});
/// A question that has a body.
export const question = (path, body, {query, type, signal} = {}) => send('POST', path, {query, body, type, signal});

export async function who() {
  const answer = await send('GET', 'session');
  const other = !session.known || answer.name !== session.name || answer.role !== session.role;
  Object.assign(session, answer, {known: true});
  if (other) for (const take of watchers) take();
}

export async function signIn(name, password) {
  await send('POST', 'session', {body: {name, password}});
  await who();
}

export async function signOut() {
  await change('DELETE', 'session');
  await who();
}

/// Which routes this daemon has: nothing is asked for that is not there.
export async function learnRoutes() {
  const document = await send('GET', 'openapi.json');
  routes = new Map();
  for (const [path, methods] of Object.entries(document.paths || {}))
    for (const [method, operation] of Object.entries(methods))
      routes.set(`${method} ${path.replace('/api/1/', '')}`, {role: operation['x-role'] || 'change', takes: (operation.parameters || []).map((one) => one.name)});
}

/// What each role may besides its own; `change` may everything.
const ALSO = {read: ['metrics'], count: [], report: [], metrics: []};

export const has = (method, path) => routes !== null && routes.has(`${method} ${path}`);
export function may(role) {
  return session.role === 'change' || role === '' || role === 'off' || role === session.role || (ALSO[session.role] || []).includes(role);
}
/// Whether a button for it makes sense.
export const can = (method, path) => has(method, path) && may(routes.get(`${method} ${path}`).role);
/// Whether a route knows an argument.
export const takes = (method, path, name) => has(method, path) && routes.get(`${method} ${path}`).takes.includes(name);
