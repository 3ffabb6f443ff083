import type { Playlist, PlaylistItem } from '../../catalog/playlists/playlist.ts';
import { escapeHtml } from '../../lib/escape-html.ts';
import type { Guid } from '../../lib/guid.ts';
import { chooseWords, type Words } from '../player/player-words.ts';
import { clock, logo, lookStyle, previewTags, type Writing, word, writeDocument } from './share-document.ts';

type CollectionPageView = {
  /** Path of the page, and the origin of its URL for other sites. */
  path: string;
  origin: string;
  apiUrl: string | null;
  /** Whether other sites may show a preview of the page. */
  isOpen: boolean;
  offersDownload: boolean;
  /** The video that the player shows first, or null for an empty collection. */
  shown: Guid | null;
  /** Returns the URL of a video's thumbnail, with the viewer's token, or null. */
  thumbnailOf(item: PlaylistItem): string | null;
};

/** Shape of the player for videos of different sizes. */
const FRAME = ':root{--frame:16/9;--frame-width:100%}';

/** Writes the page that shows the videos of a collection, in the language and colours of its library. */
export function writeCollectionPage(playlist: Playlist, view: CollectionPageView, writing: Writing): Buffer {
  const { name: title, settings, items } = playlist;
  const { language, isRtl, words } = chooseWords(writing.assets.languages, settings.player.uiLanguage);
  const head = view.isOpen ? writePreview(playlist, view) : '';
  const totalSec = items.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000;
  const count = word(words, 'share.count').replace('{count}', `${items.length}`);
  const facts = items.length === 0 ? word(words, 'share.empty') : `${count} · ${clock(totalSec)}`;
  return writeDocument(
    { title, language, isRtl, style: `${FRAME}${lookStyle(settings)}`, status: 200, head },
    `<main class="collection">
${logo(view.path, settings)}
<h1>${escapeHtml(title)}</h1>
<p class="about">${facts}</p>
${items.length === 0 ? '' : writeVideos(playlist, view, words)}
</main>`,
    writing,
  );
}

function writeVideos({ items }: Playlist, view: CollectionPageView, words: Words): string {
  const shown = items.find(({ mediaId }) => mediaId === view.shown) ?? items[0];
  const query = shown === undefined ? '' : `?video=${shown.mediaId}`;
  const title = escapeHtml(shown?.title ?? '');
  const offer = word(words, 'share.download');
  const download = view.offersDownload
    ? `<a class="button" id="download" href="${view.path}/download${query}" download>${offer}</a>`
    : '';
  return `<div class="watch">
<div>
<div class="frame"><iframe id="player" src="${escapeHtml(view.path)}/player${query}" title="${title}"
 allow="autoplay; encrypted-media; fullscreen; picture-in-picture"></iframe></div>
<div class="heading"><h2 id="shown">${title}</h2>${download}</div>
</div>
<nav class="card" aria-label="${word(words, 'share.videos')}">
<ol id="videos">
${items.map((item) => writeItem(item, item === shown, view)).join('\n')}
</ol>
</nav>
</div>`;
}

function writeItem(item: PlaylistItem, isShown: boolean, { path, thumbnailOf }: CollectionPageView): string {
  const { mediaId, title, durationMs } = item;
  const url = thumbnailOf(item);
  const image = url === null ? '' : `<img src="${escapeHtml(url)}" alt="" loading="lazy">`;
  return (
    `<li><a href="${path}?video=${mediaId}" data-video="${mediaId}"${isShown ? ' aria-current="true"' : ''}>` +
    `<span class="thumbnail">${image}<span class="length">${clock(durationMs / 1000)}</span></span>` +
    `<span class="name">${escapeHtml(title)}</span></a></li>`
  );
}

function writePreview({ name: title, items }: Playlist, view: CollectionPageView): string {
  const { path, origin, apiUrl } = view;
  const pictured = items.find(({ thumbnailFileName }) => thumbnailFileName !== null);
  const image = pictured === undefined ? null : view.thumbnailOf(pictured);
  return previewTags({
    title,
    description: null,
    url: `${origin}${path}`,
    image: image === null ? null : `${origin}${image}`,
    widthPx: 1280,
    heightPx: 720,
    apiUrl,
  });
}
