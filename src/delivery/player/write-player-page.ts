import type { Publication } from '../../catalog/publications/publication.ts';
import type { Problem } from '../http/answer.ts';
import type { PlayerAssets } from './load-player-assets.ts';
import { describeState, type PlayerView } from './player-state.ts';

/**
 * Writes the player page. The video element and the engine come first, the controls grow around them. The
 * viewer's token is shown again when the page asks for the state and for keys.
 */
export function writePlayerPage(
  publication: Publication,
  view: PlayerView,
  { assets: { addresses }, nonce }: { assets: PlayerAssets; nonce: string },
): Buffer {
  const state = describeState(publication, view);
  const { libraryId, mediaId, captions, settings, pullZoneName } = publication;
  const config = {
    state,
    stateUrl: `/embed/${libraryId}/${mediaId}/state${view.query === '' ? '' : `?${view.query}`}`,
  };
  const poster = state.posterUrl === null ? '' : ` poster="${escapeHtml(state.posterUrl)}"`;
  const tracks = captions.map(
    ({ srclang, label, version }) =>
      `<track kind="subtitles" srclang="${escapeHtml(srclang)}" label="${escapeHtml(label)}" ` +
      `src="/${pullZoneName}/${mediaId}/captions/${encodeURIComponent(srclang)}.vtt?ver=${version}">`,
  );
  const color = settings.keyColor === null ? '' : `<style nonce="${nonce}">:root{--key:${settings.keyColor}}</style>`;
  const preload = state.isPlayable
    ? `<link rel="preload" as="fetch" crossorigin href="${escapeHtml(state.playlistUrl)}">`
    : '';
  return Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${escapeHtml(publication.title)}</title>
${metaTags(publication)}
<script type="importmap" nonce="${nonce}">${toScriptJson({ imports: { 'hls.js': addresses.engine } })}</script>
<link rel="modulepreload" href="${addresses.engine}">
<link rel="modulepreload" href="${addresses.controls}">
${preload}
<link rel="stylesheet" href="${addresses.style}">
${color}
</head>
<body>
<main class="player" data-phase="${state.phase}">
<video playsinline crossorigin="anonymous" aria-label="${escapeHtml(publication.title)}"${poster}>${tracks.join('')}</video>
<noscript><p class="message">This player needs JavaScript.</p></noscript>
</main>
<script type="application/json" id="config" nonce="${nonce}">${toScriptJson(config)}</script>
<script type="module" nonce="${nonce}" src="${addresses.entry}"></script>
</body>
</html>
`);
}

/** Writes the page for a video that does not exist; it does not tell a foreign library from a wrong id. */
export function writeMissingPage(nonce: string): Buffer {
  return writeNotice('Video not found', 'It may have been removed, or the address is wrong.', nonce);
}

/** Writes the page for those who may not play a video, and why they may not. */
export function writeRefusedPage({ message }: Problem, nonce: string): Buffer {
  return writeNotice('This video cannot be played here', message, nonce);
}

function writeNotice(title: string, text: string, nonce: string): Buffer {
  return Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style nonce="${nonce}">
html,body{height:100%;margin:0;background:#0b0d12;color:#e8eaf0;font:16px/1.5 system-ui,sans-serif}
body{display:grid;place-content:center;text-align:center;padding:0 1rem;box-sizing:border-box}
h1{font-size:1.25rem;font-weight:600;margin:0}p{margin:.25rem 0;color:#9aa3b5;overflow-wrap:anywhere}
</style>
</head>
<body><h1>${title}</h1><p>${escapeHtml(text)}</p></body>
</html>
`);
}

function metaTags({ metaTags: tags, description, title }: Publication): string {
  const own = [
    { property: 'og:title', value: title },
    { property: 'og:type', value: 'video.other' },
  ];
  if (description !== null) own.push({ property: 'description', value: description });
  const given = new Set(tags.map(({ property }) => property));
  return [...tags, ...own.filter(({ property }) => !given.has(property))]
    .map(({ property, value }) => {
      const attribute = property.includes(':') ? 'property' : 'name';
      return `<meta ${attribute}="${escapeHtml(property)}" content="${escapeHtml(value)}">`;
    })
    .join('\n');
}

function escapeHtml(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replaceAll(/[&<>"']/g, (character) => names[character] ?? '');
}

/** JSON that cannot end the script element it stands in. */
function toScriptJson(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
