import { MAX_COMMENT_CHARACTERS, MAX_GUEST_NAME_CHARACTERS } from '../../catalog/comments/comment.ts';
import { escapeHtml } from '../../lib/escape-html.ts';
import type { Words } from '../player/player-words.ts';
import { word } from './share-document.ts';

/** Translation keys of the texts that the script of the page writes, by the name of their attribute. */
const SCRIPT_WORDS = [
  ['add', 'comments.addAt'],
  ['send', 'comments.sendReply'],
  ['seek', 'comments.seek'],
  ['reply', 'comments.reply'],
  ['cancel', 'comments.cancel'],
  ['guest', 'comments.guest'],
  ['team', 'comments.team'],
  ['resolved', 'comments.resolved'],
  ['limited', 'share.limited'],
  ['failed', 'comments.failed'],
  ['name', 'comments.badName'],
  ['refused', 'comments.refused'],
  ['away', 'comments.away'],
] as const;

/**
 * Returns the comments of a share page: a form, and a list that the script fills. `knownAs` is the confirmed e-mail
 * address of the viewer, or null for a viewer who has to enter a name.
 */
export function writeComments(words: Words, knownAs: string | null): string {
  const data = SCRIPT_WORDS.map(([name, key]) => ` data-${name}="${word(words, key)}"`).join('');
  return `<section class="card" id="comments"${data}>
<h2>${word(words, 'comments')}</h2>
<form id="comment-form">
${knownAs === null ? nameField(words) : knownAddress(words, knownAs)}
<label for="comment-text">${word(words, 'comments.text')}</label>
<textarea id="comment-text" name="text" rows="3" required maxlength="${MAX_COMMENT_CHARACTERS}"></textarea>
<p role="alert" class="fault" hidden></p>
<button type="submit" class="button"></button>
</form>
<p class="empty" hidden>${word(words, 'comments.empty')}</p>
<ol aria-label="${word(words, 'comments')}"></ol>
</section>`;
}

function nameField(words: Words): string {
  return `<label for="comment-name">${word(words, 'comments.name')}</label>
<input id="comment-name" name="name" required autocomplete="name" maxlength="${MAX_GUEST_NAME_CHARACTERS}">`;
}

function knownAddress(words: Words, address: string): string {
  const [before = '', after = ''] = word(words, 'comments.knownAs').split('{address}');
  return `<p class="known">${before}<strong>${escapeHtml(address)}</strong>${after}</p>`;
}
