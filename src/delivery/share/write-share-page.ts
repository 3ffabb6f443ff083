import type { DeliverySettings } from '../../catalog/publications/delivery-settings.ts';
import type { Publication } from '../../catalog/publications/publication.ts';
import { escapeHtml } from '../../lib/escape-html.ts';
import { chooseWords, type Words } from '../player/player-words.ts';
import { renderMarkdown } from './render-markdown.ts';
import {
  clock,
  logo,
  lookStyle,
  type Preview,
  previewTags,
  type Writing,
  word,
  writeDocument,
} from './share-document.ts';
import { writeComments } from './write-comments.ts';

/** Reason why a share page does not show its video. */
export type ShareNotice = 'gone' | 'expired' | 'failed' | 'waiting' | 'processing';

type SharePageView = {
  /** Path of the page, and the origin of its URL for other sites. */
  path: string;
  origin: string;
  /** Returns the URL of one of the video's files with the viewer's token for it. */
  fileUrl(file: string): string;
  /** URL of the API, or null if unknown. */
  apiUrl: string | null;
  hasDownload: boolean;
  allowsComments: boolean;
  /** Confirmed e-mail address of the viewer, or null. */
  knownAs: string | null;
  /** Whether other sites may show a preview of the page. */
  isOpen: boolean;
  /** Start time of the player, or empty. */
  start: string;
};

/** Translation keys of the title and the text of each notice, and the status of its response. */
export const NOTICES: Readonly<Record<ShareNotice, { title: string; text: string; status: 404 | 410 | 503 }>> = {
  gone: { title: 'state.gone', text: 'state.gone.text', status: 404 },
  expired: { title: 'share.expired', text: 'share.expired.text', status: 410 },
  failed: { title: 'state.failed', text: 'failed.other', status: 404 },
  waiting: { title: 'state.waiting', text: 'state.waiting.text', status: 503 },
  processing: { title: 'state.processing', text: 'state.processing.text', status: 503 },
};

/** Writes the page that shows a video, in the language and colours of its library. */
export function writeSharePage(publication: Publication, view: SharePageView, writing: Writing): Buffer {
  const { title, description, widthPx, heightPx, settings } = publication;
  const { language, isRtl, words } = chooseWords(writing.assets.languages, settings.player.uiLanguage);
  const player = `${view.path}/player${view.start === '' ? '' : `?t=${encodeURIComponent(view.start)}`}`;
  const [width, height] = widthPx > 0 && heightPx > 0 ? [widthPx, heightPx] : [16, 9];
  const style = `:root{--frame:${width}/${height};--frame-width:calc(72vh*${width}/${height})}${lookStyle(settings)}`;
  const about =
    description === null || description.trim() === ''
      ? ''
      : `<div class="about">${renderMarkdown(description).html}</div>`;
  const download = view.hasDownload
    ? `<a class="button" href="${view.path}/download" download>${word(words, 'share.download')}</a>`
    : '';
  return writeDocument(
    { title, language, isRtl, style, status: 200, head: view.isOpen ? previewTags(previewOf(publication, view)) : '' },
    `<main${view.allowsComments ? ' class="review"' : ''}>
${logo(view.path, settings)}
<div class="film">
<div class="frame"><iframe id="player" src="${escapeHtml(player)}" title="${escapeHtml(title)}"
 allow="autoplay; encrypted-media; fullscreen; picture-in-picture"></iframe></div>
<div class="heading"><h1>${escapeHtml(title)}</h1>${download}</div>
${about}
</div>
${view.allowsComments ? writeComments(words, view.knownAs) : ''}
<div class="parts">
${chapterList(publication, words)}
${transcript(publication, view, words)}
</div>
</main>`,
    writing,
  );
}

function previewOf(publication: Publication, { path, origin, fileUrl, apiUrl }: SharePageView): Preview {
  const { title, description, thumbnailKey, thumbnailFileName, widthPx, heightPx } = publication;
  const image = thumbnailKey === null ? null : `${origin}${fileUrl(thumbnailFileName)}`;
  const text = description === null ? null : renderMarkdown(description).text;
  return { title, description: text, url: `${origin}${path}`, image, widthPx, heightPx, apiUrl };
}

type PasswordView = {
  path: string;
  verdict: 'asked' | 'wrong' | 'limited';
  /** Settings of the library, or null if they are unknown. */
  settings: DeliverySettings | null;
  language: string;
};

/** Writes the form for the password of a share. It reveals nothing about the video. */
export function writePasswordPage(
  { path, verdict, settings, language: wanted }: PasswordView,
  writing: Writing,
): Buffer {
  const { language, isRtl, words } = chooseWords(writing.assets.languages, wanted);
  const fault = verdict === 'asked' ? '' : word(words, verdict === 'wrong' ? 'share.wrong' : 'share.limited');
  const alert = fault === '' ? '' : `<p role="alert" class="fault">${fault}</p>`;
  return writeDocument(
    { title: words['share.protected'] ?? '', language, isRtl, style: lookStyle(settings), status: null, head: '' },
    `<main class="notice">
${logo(path, settings)}
<h1>${word(words, 'share.protected')}</h1>
<form method="post" action="${escapeHtml(path)}">
<label for="password">${word(words, 'share.password')}</label>
<input id="password" name="password" type="password" required autocomplete="off" autofocus maxlength="1000">
${alert}
<button type="submit" class="button">${word(words, 'share.open')}</button>
</form>
</main>`,
    writing,
  );
}

/**
 * Writes the page that explains why a share does not show its video. Pages that wait for the video reload
 * automatically.
 */
export function writeNoticePage(
  { reason, language: wanted }: { reason: ShareNotice; language: string },
  writing: Writing,
): Buffer {
  const { language, isRtl, words } = chooseWords(writing.assets.languages, wanted);
  const { title, text, status } = NOTICES[reason];
  return writeDocument(
    { title: words[title] ?? '', language, isRtl, style: '', status: status === 503 ? status : null, head: '' },
    `<main class="notice"><h1>${word(words, title)}</h1><p>${word(words, text)}</p></main>`,
    writing,
  );
}

function chapterList({ chapters }: Publication, words: Words): string {
  if (chapters.length === 0) return '';
  const items = chapters.map(
    ({ title, start }) =>
      `<li><button type="button" data-start="${start}"><span class="time">${clock(start)}</span> ` +
      `<span>${escapeHtml(title)}</span></button></li>`,
  );
  return `<section class="card"><h2>${word(words, 'chapters')}</h2><ol>${items.join('')}</ol></section>`;
}

/** Returns the panel of the transcript, whose text is loaded when it is opened. */
function transcript({ captions }: Publication, { fileUrl }: Pick<SharePageView, 'fileUrl'>, words: Words): string {
  if (captions.length === 0) return '';
  const options = captions.map(({ srclang, label, version }) => {
    const url = fileUrl(`captions/${encodeURIComponent(srclang)}.vtt?ver=${version}`);
    return `<option value="${escapeHtml(url)}">${escapeHtml(label === '' ? srclang : label)}</option>`;
  });
  const hidden = captions.length === 1 ? ' hidden' : '';
  return `<details class="card" id="transcript" data-away="${word(words, 'transcript.away')}">
<summary><h2>${word(words, 'transcript')}</h2></summary>
<select aria-label="${word(words, 'transcript.language')}"${hidden}>${options.join('')}</select>
<ol></ol>
</details>`;
}
