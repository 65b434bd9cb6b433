// The model that is trained on this site's own mail.

import {can, get, post} from '../api.js';
import {act} from '../act.js';
import {badge, button, clear, el, facts, moment, notice, number, percent, said, score, table} from '../dom.js';
import {listen} from '../live.js';
import {heading, offNotice, panel} from '../parts.js';
import {plot} from '../plots.js';
import {T} from '../texts.js';

const t = T.model;

function meter(share) {
  const bar = el('span');
  bar.style.width = `${Math.min(1, share) * 100}%`;
  return el('div', {class: 'meter', 'aria-hidden': 'true'}, bar);
}

export async function show(root, {signal}) {
  const tools = el('div', {class: 'buttons'});
  heading(root, T.views.model, t.lead, tools);
  const page = panel('', async () => {
    const model = await get('model', {}, signal);
    const again = () => page.again();
    clear(tools).append(...actions(model, again));
    return draw(model);
  }, {route: ['get', 'model'], name: T.views.model});
  root.append(page);
  listen('state', () => page.again(), signal);
}

function actions(model, again) {
  const one = (path, title, what, verb, text, {kind = '', effect = null, when = true} = {}) => when && can('post', `model/${path}`) ? button(verb, () => act({title, what, verb, after: again, effect, kind: kind || 'main', run: async () => { await post(`model/${path}`); return {text, undo: path === 'live' ? async () => { await post('model/shadow'); return t.now_shadow; } : path === 'shadow' ? async () => { await post('model/live'); return t.now_live; } : null}; }}), {kind}) : null;
  const word = model.promotion ? async () => t.effect_live(model.promotion) : null;
  return [one('train', t.train_title, t.train_what, t.train, t.started, {kind: 'main', when: model.run?.state === 'idle'}),
    one('live', t.live_title, t.live_what, t.live, t.now_live, {effect: word, when: model.trained && model.mode === 'shadow'}), one('shadow', t.shadow_title, t.shadow_what, t.shadow, t.now_shadow, {when: model.mode === 'score'}),
    one('rollback', t.rollback_title, model.before ? [t.before, ': ', moment(model.before.trained)] : '', t.rollback, t.rolled, {when: !!model.before})].filter(Boolean);
}

function draw(model) {
  const figures = model.figures;
  const rows = figures ? ['rules', 'model', 'both', 'before'].filter((name) => figures[name]) : [];
  const drift = model.drift;
  const needs = model.needs;
  const need = (have, min, name) => el('div', {class: 'content'}, el('div', null, `${number(have)} / ${number(min)} ${name}`), meter(min ? have / min : 1));
  return [offNotice(model),
    facts([[t.mode, badge(model.mode === 'score' ? 'live' : model.mode === 'shadow' ? 'shadow' : '', t.modes[model.mode] || model.mode)], [t.trained, moment(model.trained)], [t.score_max, score(model.score_max)],
      model.id ? [t.id, el('code', null, said(model.id, 40))] : null, model.trees ? [t.trees, number(model.trees)] : null, model.before ? [t.before, moment(model.before.trained)] : null]),
    model.run?.text ? notice(model.run.result === 'failed' ? 'bad' : model.run.result === 'published' ? 'good' : '', el('span', null, `${t.run}: `, said(model.run.text, 500))) : null,
    model.run?.state === 'absent' ? notice('', t.absent) : null,
    model.trained && model.promotion?.why_not ? notice('', el('span', null, `${t.promotion}: `, said(model.promotion.why_not, 400))) : null,
    needs ? el('section', {class: 'content'}, el('h2', null, t.needs), el('div', {class: 'grid'}, need(needs.bad, needs.bad_min, t.bad), need(needs.wanted, needs.wanted_min, t.wanted)), el('p', {class: 'help'}, t.days(needs.days))) : null,
    figures ? el('section', {class: 'content'}, el('h2', null, t.figures), plot({title: t.figures, integers: false, low: true, first: t.id, labels: rows.map((name) => t.who[name]), show: percent, series: [{name: t.recall0, colour: 'plot-a', values: rows.map((name) => figures[name].recall_0)}, {name: t.recall1000, colour: 'plot-b', values: rows.map((name) => figures[name].recall_1000)}]})) : null,
    drift?.scores?.length ? el('section', {class: 'content'}, el('h2', null, t.drift), plot({title: t.drift, integers: false, low: true, first: t.value, labels: drift.scores.map((one) => String(one.from)), names: drift.scores.map((one) => `${one.from} ${T.now.to} ${one.to}`), show: percent, series: [{name: t.then, colour: 'plot-a', values: drift.scores.map((one) => one.trained)}, {name: t.since, colour: 'plot-b', values: drift.scores.map((one) => one.now)}]})) : null,
    (model.features || []).length ? el('section', {class: 'content'}, el('h2', null, t.features), table([{name: t.feature, kind: 'fit', cell: (one) => [el('code', null, said(one.name, 120)), one.suspect ? el('div', {class: 'small'}, badge('marked', '!'), ' ', t.suspect) : null, one.help ? el('div', {class: 'quiet small'}, said(one.help, 200)) : null]}, {name: '', unheard: t.share, cell: (one) => meter(one.share / (model.features[0].share || 1))}, {name: t.share, number: true, cell: (one) => percent(one.share)}, {name: t.unknown, number: true, cell: (one) => `${percent(one.unknown)} / ${percent(one.unknown_now)}`}], model.features, {caption: t.features})) : null];
}
