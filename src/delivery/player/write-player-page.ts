import type { PlayerLook } from '../../catalog/publications/delivery-settings.ts';
import type { Publication } from '../../catalog/publications/publication.ts';
import { escapeHtml } from '../../lib/escape-html.ts';
import { describeVideo, type PlayerView } from './describe-video.ts';
import type { HeadHtml } from './head-html.ts';
import type { PlayerAssets } from './load-player-assets.ts';
import { chooseWords, type Words } from './player-words.ts';

/** `stateQuery` is the query with which the open page requests its state, or empty. */
type Writing = {
  assets: PlayerAssets;
  nonce: string;
  head: HeadHtml;
  uiLanguage: string;
  stateQuery: string;
  preloads: boolean;
};

/**
 * Writes the player page. The video element and the engine are first, and the controls are added around them. The page
 * sends the viewer's token when it requests its state and keys.
 */
export function writePlayerPage(publication: Publication, view: PlayerView, writing: Writing): Buffer {
  const { assets, nonce, head, uiLanguage, stateQuery, preloads } = writing;
  const state = describeVideo(publication, view);
  const { libraryId, mediaId, settings } = publication;
  const { customHtml: _, ...look } = settings.player;
  const { language, isRtl, words } = chooseWords(assets.languages, uiLanguage);
  const stateUrl = `/embed/${libraryId}/${mediaId}/state${stateQuery === '' ? '' : `?${stateQuery}`}`;
  const config = { libraryId, mediaId, state, stateUrl, look, words };
  // Media without a source, or in a library with Enterprise DRM, may get keys while the page is open.
  const needsKeys = settings.drm === 'enterprise' || (state.source !== null && state.source.drm !== null);
  const { engine, controls } = needsKeys ? assets.protected : assets.clear;
  const title = escapeHtml(publication.title);
  const { source } = state;
  const first = preloads ? source : null;
  return Buffer.from(`<!doctype html>
<html lang="${language}" dir="${isRtl ? 'rtl' : 'ltr'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<link rel="icon" href="data:,">
<title>${title}</title>
<script type="module" nonce="${nonce}" src="${engine}"></script>
${first === null ? '' : `<link rel="preload" as="fetch" crossorigin href="${escapeHtml(first.playlistUrl)}">`}
<link rel="stylesheet" href="${assets.style}">
${source === null ? `<link rel="modulepreload" href="${controls}">` : ''}
<style nonce="${nonce}">${lookStyle(look)}</style>
${metaTags(publication)}
${head.html}
</head>
<body>
<main>
<h1>${title}</h1>
<media-controller class="player" nohotkeys novolumepref nomutedpref nosubtitleslangpref autohide="3">
<video slot="media" playsinline crossorigin="anonymous" aria-label="${title}"></video>
</media-controller>
</main>
<noscript><p class="message">${escapeHtml(words.needsScript ?? '')}</p></noscript>
<script type="application/json" id="config" nonce="${nonce}">${toScriptJson(config)}</script>
</body>
</html>
`);
}

/**
 * Writes the page for a video that does not exist, in the first supported language of `languages` (an Accept-Language
 * header). The page does not reveal whether the library or the id is wrong.
 */
export function writeMissingPage(languages: string, { assets, nonce }: Pick<Writing, 'assets' | 'nonce'>): Buffer {
  const { words, language, isRtl } = chooseWords(assets.languages, languages);
  return writeNotice({ title: words['state.gone'], text: words['state.gone.text'], language, isRtl }, nonce);
}

/** Writes the page for viewers who may not play a video, with the reason. */
export function writeRefusedPage(
  { code, lacksToken, uiLanguage }: { code: string; lacksToken: boolean; uiLanguage: string },
  { assets, nonce }: Pick<Writing, 'assets' | 'nonce'>,
): Buffer {
  const { words, language, isRtl } = chooseWords(assets.languages, uiLanguage);
  const kind = code.startsWith('quota-') ? 'quota' : code;
  const reason = code === 'token-denied' && lacksToken ? 'token-missing' : kind;
  const text = words[`refused.${reason}`] ?? words['refused.other'];
  const title = words[kind === 'quota' ? 'state.limited' : 'state.refused'];
  return writeNotice({ title, text, language, isRtl, rule: code }, nonce);
}

type Notice = {
  title: Words[string] | undefined;
  text: Words[string] | undefined;
  language: string;
  isRtl: boolean;
  rule?: string;
};

function writeNotice({ title = '', text = '', language, isRtl, rule }: Notice, nonce: string): Buffer {
  const attribute = rule === undefined ? '' : ` data-rule="${escapeHtml(rule)}"`;
  return Buffer.from(`<!doctype html>
<html lang="${language}" dir="${isRtl ? 'rtl' : 'ltr'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)}</title>
<style nonce="${nonce}">
html,body{height:100%;margin:0;background:radial-gradient(120% 90% at 50% 30%,#20242f,#0b0c10 70%);color:#fff}
body{display:grid;place-content:center;justify-items:center;gap:8px;text-align:center;padding:0 8vw;
box-sizing:border-box;font:16px/1.5 system-ui,sans-serif}
h1{font-size:clamp(15px,2.6vw,22px);font-weight:600;margin:0;text-wrap:balance}
p{margin:0 auto;max-width:46ch;color:#c4c9d4;font-size:clamp(12px,1.8vw,15px);text-wrap:balance}
</style>
</head>
<body><main${attribute}><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p></main></body>
</html>
`);
}

/** Returns the library's theme as CSS variables, which head HTML may also set. */
function lookStyle({
  keyColor,
  fontFamily,
  captionsFontSizePx,
  captionsFontColor,
  captionsBackground,
}: PlayerLook | Omit<PlayerLook, 'customHtml'>): string {
  const rules: string[] = [];
  if (keyColor !== null) rules.push(`--player-accent:${keyColor}`);
  if (/^[\w '",-]{1,200}$/.test(fontFamily) && fontFamily !== 'sans-serif')
    rules.push(`--media-font-family:${fontFamily},system-ui,sans-serif`);
  if (captionsFontSizePx > 0) rules.push(`--captions-font-size:${captionsFontSizePx}px`);
  if (captionsFontColor !== null) rules.push(`--captions-text-color:${captionsFontColor}`);
  if (captionsBackground !== null) rules.push(`--captions-background:${captionsBackground}`);
  return `:root{${rules.join(';')}}`;
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

/** Returns JSON that cannot close the script element around it. */
function toScriptJson(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
