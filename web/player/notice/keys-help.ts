import { KEYS } from '../bar/keyboard.ts';
import { make } from '../base/dom.ts';
import { playlistPath } from '../base/playlist-path.ts';
import type { ControlParts } from '../parts.ts';

/** Shows the list of shortcut keys in a dialog over the video. Returns a function that opens and closes it. */
export function mountKeysHelp({ frame, say, options }: ControlParts): () => void {
  const dialog = make('dialog', { class: 'keys-help', 'aria-label': say('keys'), slot: 'dialog', noautohide: true });
  const list = make('dl');
  for (const { keys, word } of KEYS) {
    if (word === 'keys.speed' && !options.showsSpeed) continue;
    if (word === 'keys.playlist' && playlistPath() === null) continue;
    const names = keys.map((key) => (key === '…' ? key : make('kbd', {}, key === 'Space' ? say('keys.space') : key)));
    list.append(make('div', {}, make('dt', {}, ...names), make('dd', {}, say(word))));
  }
  const close = make('button', { type: 'button', class: 'keys-close' }, say('close'));
  close.addEventListener('click', () => dialog.close());
  // The dialog focuses its button, which must not scroll the list to its end.
  dialog.append(make('header', {}, make('h2', {}, say('keys')), close), list);
  // The target of a click outside the list is the dialog itself.
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener('keydown', (event) => {
    if (event.key === '?') dialog.close();
    event.stopPropagation();
  });
  frame.append(dialog);
  return () => (dialog.open ? dialog.close() : dialog.showModal());
}
