import { make } from '../base/dom.ts';
import { writeTime } from '../base/time.ts';

/** A comment as written by `src/delivery/share/share-comments.ts`. `email` is a viewer with a confirmed address. */
type Reply = { id: string; text: string; author: string; from: 'team' | 'guest' | 'email'; created: string };
export type Comment = Reply & { time: number; isResolved: boolean; replies: Reply[] };

/** Texts of the page by name. */
export type WordOf = (name: string) => string;
type Actions = { seek(sec: number): void; openReply(comment: Comment, item: HTMLElement): void };

const MOMENT = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' });

/** Writes a comment with its replies. All texts are written as text, never as HTML. */
export function writeThread(comment: Comment, wordOf: WordOf, actions: Actions): HTMLElement {
  const time = writeTime(comment.time);
  const label = wordOf('seek').replace('{time}', time);
  const seek = make('button', { type: 'button', class: 'seek', 'aria-label': label }, time);
  const state = comment.isResolved ? [make('span', { class: 'mark' }, wordOf('resolved'))] : [];
  const reply = make('button', { type: 'button', class: 'link' }, wordOf('reply'));
  const replies = comment.replies.map((one) => make('li', {}, ...writeMessage(one, wordOf)));
  const item = make(
    'li',
    { class: comment.isResolved ? 'thread resolved' : 'thread' },
    make('div', { class: 'place' }, seek, ...state),
    ...writeMessage(comment, wordOf),
    ...(replies.length > 0 ? [make('ul', {}, ...replies)] : []),
    make('div', { class: 'acts' }, reply),
  );
  seek.addEventListener('click', () => actions.seek(comment.time));
  reply.addEventListener('click', () => actions.openReply(comment, item));
  return item;
}

function writeMessage({ author, from, text, created }: Reply, wordOf: WordOf): HTMLElement[] {
  const mark = from === 'email' ? [] : [make('span', { class: 'mark' }, wordOf(from))];
  const names = author === '' ? [] : [make('strong', { dir: 'auto' }, author)];
  return [
    make('p', { class: 'by' }, ...names, ...mark, make('span', {}, MOMENT.format(new Date(created)))),
    make('p', { class: 'text', dir: 'auto' }, text),
  ];
}
