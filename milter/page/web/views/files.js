// Known files that mail is compared with.

import {can, del, get} from '../api.js';
import {act} from '../act.js';
import {button, bytes, clear, el, moment, number, said, score, table} from '../dom.js';
import {heading, offNotice, panel} from '../parts.js';
import {T} from '../texts.js';

const t = T.files;

export async function show(root, {signal}) {
  heading(root, T.views.files, t.lead);
  const part = el('input', {type: 'search', placeholder: t.filter, 'aria-label': t.filter, maxlength: 200, onchange: () => page.again()});
  const out = el('div', {class: 'content'});
  let all = [];
  const page = panel(T.views.files, async () => {
    const load = async (cursor) => {
      const reply = await get('files', {part: part.value.trim(), cursor, most: 100}, signal);
      all = cursor ? [...all, ...reply.files] : reply.files;
      clear(out).append(table([{name: t.name, kind: 'fit', cell: (file) => said(file.name, 160)}, {name: t.list, cell: (file) => said(file.list, 60)}, {name: t.size, number: true, cell: (file) => bytes(file.bytes)}, {name: t.parts, number: true, cell: (file) => number(file.parts)}, {name: t.added, kind: 'short', cell: (file) => moment(file.added)},
        {name: '', cell: (file) => can('delete', 'files/{id}') ? el('div', {class: 'buttons'}, button(t.remove, () => act({title: t.title, what: t.what, verb: t.remove, kind: 'bad', after: () => page.again(), run: async () => { await del(`files/${encodeURIComponent(file.id)}`); return {text: t.removed}; }}), {kind: 'small bad'})) : null}], all, {caption: T.views.files, empty: reply.off ? '' : t.none}));
      if (reply.next !== null && reply.next !== undefined) out.append(button(T.messages.more, () => load(reply.next)));
      return reply;
    };
    const reply = await load();
    return [offNotice(reply), (reply.lists || []).length ? el('p', {class: 'help'}, reply.lists.map((list) => `${list.list}: ${score(list.score)}`).join(', ')) : null, reply.off ? null : el('div', {class: 'form'}, el('div', {class: 'field grow'}, part)), out];
  }, {route: ['get', 'files']});
  root.append(page);
}
