// Buckets of the rate limits.

import {can, del, get, post} from '../api.js';
import {act} from '../act.js';
import {button, duration, el, number, percent, said, table} from '../dom.js';
import {heading, offNotice, panel} from '../parts.js';
import {T} from '../texts.js';

const t = T.limits;

export async function show(root, {signal}) {
  heading(root, T.views.limits, t.lead);
  const part = el('input', {type: 'search', placeholder: t.filter, 'aria-label': t.filter, maxlength: 200, onchange: () => page.again()});
  const search = el('div', {class: 'form'}, el('div', {class: 'field grow'}, part));
  const page = panel(T.views.limits, async () => {
    const reply = await get('buckets', {part: part.value.trim(), most: 100}, signal);
    const reset = (bucket) => {
      const path = `buckets/${encodeURIComponent(bucket.key)}`;
      return button(t.reset, () => act({title: t.title, what: [said(bucket.key, 200), '. ', t.what], verb: t.reset, after: () => page.again(),
        effect: async () => { const now = await get(path, {}, signal); return t.effect(number(now.drops, 1), number(now.burst)); },
        run: async () => {
          const before = await get(path);
          await del(path);
          return {text: t.done, undo: async () => { await post(path, {drops: before.drops, burst: before.burst, leak: before.leak}); return t.undone; }};
        }}), {kind: 'small', label: `${t.reset} ${bucket.key}`});
    };
    return [offNotice(reply), reply.off ? null : search, table([{name: t.key, kind: 'fit', cell: (bucket) => said(bucket.key, 160)}, {name: t.type, cell: (bucket) => said(bucket.type, 60)},
      {name: t.full, cell: (bucket) => { const bar = el('span'); const part_of = Math.min(1, bucket.drops / bucket.burst); bar.style.width = `${part_of * 100}%`; return el('div', null, el('div', {class: part_of > .9 ? 'meter full' : 'meter', 'aria-hidden': 'true'}, bar), el('span', {class: 'small quiet'}, percent(part_of))); }},
      {name: t.drops, number: true, cell: (bucket) => `${number(bucket.drops, 1)} ${t.of} ${number(bucket.burst)}`}, {name: t.empty, number: true, cell: (bucket) => duration(bucket.empty_in)},
      {name: '', cell: (bucket) => can('delete', 'buckets/{key}') ? el('div', {class: 'buttons'}, reset(bucket)) : null}], reply.buckets, {caption: T.views.limits, empty: reply.off ? '' : t.none}),
    reply.more ? el('p', {class: 'help'}, t.more) : null];
  }, {route: ['get', 'buckets']});
  root.append(page);
}
