import type { DeliverySettings } from '../../catalog/publications/delivery-settings.ts';
import { escapeHtml } from '../../lib/escape-html.ts';
import type { PlayerAssets } from '../player/load-player-assets.ts';
import type { Words } from '../player/player-words.ts';

export type Writing = { assets: PlayerAssets; nonce: string };

/** `status` is the status that an open page expects from its URL, or null for a page that does not poll it. */
type Page = { title: string; language: string; isRtl: boolean; style: string; status: number | null; head: string };

/** Writes the document around the body of a share page. */
export function writeDocument(
  { title, language, isRtl, style, status, head }: Page,
  body: string,
  writing: Writing,
): Buffer {
  const { assets, nonce } = writing;
  const script =
    status === null ? '' : `<script type="module" nonce="${nonce}" src="${assets.share.script}"></script>\n`;
  return Buffer.from(`<!doctype html>
<html lang="${language}" dir="${isRtl ? 'rtl' : 'ltr'}"${status === null ? '' : ` data-status="${status}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)}</title>
${head}
<link rel="stylesheet" href="${assets.share.style}">
<style nonce="${nonce}">${style}</style>
${script}</head>
<body>
${body}
</body>
</html>
`);
}

/** Texts and URLs for previews on other sites. The URLs of `image` and the sizes may be unknown. */
export type Preview = {
  title: string;
  description: string | null;
  url: string;
  image: string | null;
  widthPx: number;
  heightPx: number;
  /** URL of the API, or null if unknown. */
  apiUrl: string | null;
};

/** Returns tags for previews on other sites: Open Graph, Twitter cards and oEmbed. */
export function previewTags({ title, description, url, image, widthPx, heightPx, apiUrl }: Preview): string {
  const tags: [name: string, value: string | null][] = [
    ['description', description],
    ['og:type', 'video.other'],
    ['og:title', title],
    ['og:description', description],
    ['og:url', url],
    ['og:image', image],
    ['og:video', `${url}/player`],
    ['og:video:type', 'text/html'],
    ['og:video:width', widthPx > 0 ? `${widthPx}` : null],
    ['og:video:height', heightPx > 0 ? `${heightPx}` : null],
    ['twitter:card', image === null ? 'summary' : 'summary_large_image'],
    ['twitter:title', title],
    ['twitter:description', description],
    ['twitter:image', image],
  ];
  const written = tags.flatMap(([name, value]) => {
    if (value === null || value === '') return [];
    return [`<meta ${name.startsWith('og:') ? 'property' : 'name'}="${name}" content="${escapeHtml(value)}">`];
  });
  written.push(`<link rel="canonical" href="${escapeHtml(url)}">`);
  if (apiUrl !== null) {
    const href = escapeHtml(`${apiUrl}/OEmbed?url=${encodeURIComponent(url)}`);
    written.push(`<link rel="alternate" type="application/json+oembed" href="${href}" title="${escapeHtml(title)}">`);
  }
  return written.join('\n');
}

/** Returns the logo of the library, or an empty text if it has none. */
export function logo(path: string, settings: DeliverySettings | null): string {
  const version = settings?.logoVersion ?? null;
  return version === null ? '' : `<img class="logo" src="${escapeHtml(path)}/logo?ver=${version}" alt="">`;
}

/** Returns a text in the language of the page. */
export function word(words: Words, key: string): string {
  return escapeHtml(words[key] ?? '');
}

/** Writes a time or length as m:ss or h:mm:ss. */
export function clock(sec: number): string {
  const [hours, minutes, seconds] = [Math.floor(sec / 3600), Math.floor(sec / 60) % 60, Math.floor(sec) % 60];
  const two = (part: number) => `${part}`.padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

/** Returns the library's colour, with black or white text on it, and its font. */
export function lookStyle(settings: DeliverySettings | null): string {
  if (settings === null) return '';
  const { player } = settings;
  const rules: string[] = [];
  const accent = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(player.keyColor ?? '')?.[1];
  if (accent !== undefined) rules.push(`--accent:#${accent}`, `--on-accent:${textOn(accent)}`);
  if (/^[\w '",-]{1,200}$/.test(player.fontFamily) && player.fontFamily !== 'sans-serif') {
    rules.push(`--font:${player.fontFamily},system-ui,sans-serif`);
  }
  return rules.length === 0 ? '' : `:root{${rules.join(';')}}`;
}

/** Returns the text colour with the higher contrast (WCAG 2.2, "relative luminance"); it is at least 4.5:1. */
function textOn(color: string): string {
  const digits = color.length === 3 ? color.replaceAll(/./g, '$&$&') : color;
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const value = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff';
}
