import { make } from '../base/dom.ts';
import { writeTime } from '../base/time.ts';
import { type Comment, type WordOf, writeThread } from './write-thread.ts';

/** Player of the page. */
type Player = { timeSec(): number; seek(sec: number): void; pause(): void };
type Parts = {
  form: HTMLFormElement;
  text: HTMLTextAreaElement;
  button: HTMLButtonElement;
  list: HTMLElement;
  /** Null for a viewer with a confirmed address. */
  name: HTMLInputElement | null;
};
/** A reply that is being written. */
type OpenReply = { id: string; form: HTMLFormElement; text: HTMLTextAreaElement };

/** Time between two reads of the comments of others, in ms. */
const REFRESH_MS = 10_000;
const TICK_MS = 250;
/** Maximum wait for a response, in ms. */
const MAX_WAIT_MS = 15_000;
const KEPT_NAME = 'millrace-reviewer';

/** Shows the comments of a share page, and lets the viewer write. */
export function openComments(section: HTMLElement, player: Player): void {
  const parts = findParts(section);
  if (parts === null) return;
  const { form, text, button, name } = parts;
  const wordOf: WordOf = (key) => section.dataset[key] ?? '';
  const url = `${location.pathname.replace(/\/$/, '')}/comments`;
  const refresh = keepList(section, parts, { url, wordOf, player, send });
  async function send(fields: object): Promise<boolean> {
    if (name !== null) keepName(name.value);
    const body = JSON.stringify({ ...fields, ...(name !== null && { name: name.value }) });
    const headers = { 'Content-Type': 'application/json' };
    const request = { method: 'POST', headers, body, signal: AbortSignal.timeout(MAX_WAIT_MS) };
    const answer = await fetch(url, request).catch(() => null);
    say(form, answer?.ok === true ? '' : wordOf(await faultOf(answer)));
    if (answer?.ok === true) await refresh();
    return answer?.ok === true;
  }
  if (name !== null) name.value = readKeptName();
  // The picture that the comment is about stays visible.
  text.addEventListener('input', () => player.pause());
  whenSent(form, button, async () => {
    const isSent = await send({ text: text.value, time: Math.round(player.timeSec() * 1000) / 1000 });
    if (isSent) text.value = '';
  });
  const showTime = () => {
    const label = wordOf('add').replace('{time}', writeTime(player.timeSec()));
    if (button.textContent !== label) button.textContent = label;
  };
  showTime();
  setInterval(showTime, TICK_MS);
  void refresh();
  setInterval(() => {
    if (!document.hidden) void refresh();
  }, REFRESH_MS);
}

function findParts(section: HTMLElement): Parts | null {
  const form = section.querySelector<HTMLFormElement>('#comment-form');
  const [text, button] = [form?.querySelector('textarea'), form?.querySelector('button')];
  const list = section.querySelector('ol');
  if (form === null || text == null || button == null || list === null) return null;
  return { form, text, button, list, name: form.querySelector('#comment-name') };
}

type ListDeps = { url: string; wordOf: WordOf; player: Player; send(fields: object): Promise<boolean> };

/** Returns a function that reads the list again. A reply that is being written is kept. */
function keepList(
  section: HTMLElement,
  { list, name }: Parts,
  { url, wordOf, player, send }: ListDeps,
): () => Promise<void> {
  let open: OpenReply | null = null;
  let etag = '';
  const close = () => {
    open?.form.remove();
    open = null;
  };
  const openReply = ({ id }: Comment, item: HTMLElement) => {
    // The name is in the form for comments, which the browser shows if it is missing.
    if (name !== null && !name.reportValidity()) return;
    close();
    const reply = writeReplyForm(wordOf, close, async (text) => {
      if (await send({ text, parentId: id })) close();
    });
    open = { id, ...reply };
    item.append(reply.form);
    reply.text.focus();
  };
  return async () => {
    const headers = etag === '' ? {} : { 'If-None-Match': etag };
    const request: RequestInit = { cache: 'no-store', headers, signal: AbortSignal.timeout(MAX_WAIT_MS) };
    const answer = await fetch(url, request).catch(() => null);
    if (answer?.status !== 200) return;
    // The connection may be lost before the end. The next refresh reads the list again.
    const read: { comments: Comment[] } | null = await answer.json().catch(() => null);
    if (read === null) return;
    etag = answer.headers.get('ETag') ?? '';
    const { comments } = read;
    const isTyping = open?.form.contains(document.activeElement) === true;
    const items = comments.map((comment) => writeThread(comment, wordOf, { seek: player.seek, openReply }));
    list.replaceChildren(...items);
    if (open !== null) items[comments.findIndex(({ id }) => id === open?.id)]?.append(open.form);
    if (isTyping) open?.text.focus();
    const empty = section.querySelector<HTMLElement>('.empty');
    if (empty !== null) empty.hidden = items.length > 0;
  };
}

function writeReplyForm(wordOf: WordOf, onCancel: () => void, onSend: (text: string) => Promise<void>) {
  const text = make('textarea', { rows: '2', required: '', maxlength: '2000', 'aria-label': wordOf('reply') });
  const cancel = make('button', { type: 'button', class: 'link' }, wordOf('cancel'));
  const submit = make('button', { type: 'submit', class: 'button' }, wordOf('send'));
  const form = make('form', {}, text, make('div', { class: 'acts' }, cancel, submit));
  cancel.addEventListener('click', onCancel);
  whenSent(form, submit, () => onSend(text.value));
  return { form, text };
}

/** Runs an action when a form is sent. Until it ends, the form cannot be sent again. */
function whenSent(form: HTMLFormElement, button: HTMLButtonElement, action: () => Promise<void>): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    button.disabled = true;
    void action().finally(() => {
      button.disabled = false;
    });
  });
}

function say(form: HTMLFormElement, words: string): void {
  const fault = form.querySelector<HTMLElement>('.fault');
  if (fault === null) return;
  fault.textContent = words;
  fault.hidden = words === '';
}

/** Returns the name of the text that explains why a comment was not sent. */
async function faultOf(answer: Response | null): Promise<'away' | 'limited' | 'name' | 'failed' | 'refused'> {
  if (answer === null || answer.status >= 500) return 'away';
  if (answer.status === 429) return 'limited';
  if (answer.status !== 400) return 'refused';
  const { error }: { error?: unknown } = Object(await answer.json().catch(() => null));
  return error === 'invalid-name' ? 'name' : 'failed';
}

function readKeptName(): string {
  try {
    return localStorage.getItem(KEPT_NAME) ?? '';
  } catch {
    return '';
  }
}

function keepName(name: string): void {
  try {
    localStorage.setItem(KEPT_NAME, name);
  } catch {
    // A browser without storage asks for the name again.
  }
}
