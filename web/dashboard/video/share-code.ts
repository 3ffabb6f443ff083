import {
  embedCode,
  escapeHtml,
  type FrameSize,
  frameAttributes,
  frameSizePx,
  type Shape,
} from '../uploads/embed-code.ts';

/** Forms of code that shows a video on a page. */
export type CodeKind = 'iframe' | 'element' | 'react' | 'oembed' | 'video';

/** `files` are the URLs of the media itself, best first, each with its media type. */
export type Shared = {
  address: string;
  video: Shape & { title: string };
  size: FrameSize;
  startSec: number;
  oembedUrl: string;
  posterUrl: string | null;
  files: readonly { url: string; type: string }[];
};

/** Returns the code, or the URL for oEmbed, that shows a video on a page. */
export function shareCode(kind: CodeKind, shared: Shared): string {
  switch (kind) {
    case 'iframe':
      return embedCode(shared.address, shared.video, shared.size);
    case 'element':
      return elementCode(shared);
    case 'react':
      return reactCode(shared);
    case 'oembed':
      return oembedAddress(shared);
    case 'video':
      return videoCode(shared);
  }
}

/** The element builds the URL from its attributes, and the edge serves its script. */
function elementCode({ address, video, size }: Shared): string {
  const { origin, pathname, searchParams } = new URL(address);
  const [, , library = '', guid = ''] = pathname.split('/');
  const flags = ['autoplay', 'muted', 'loop'].filter((name) => (searchParams.get(name) ?? STANDARD[name]) === 'true');
  const given = [
    ['start', searchParams.get('t')],
    ['captions', searchParams.get('captions')],
  ].flatMap(([name, value]) => (name && value ? [[name, value]] : []));
  const shape = video.width > 0 && video.height > 0 ? { ratio: `${video.width}/${video.height}` } : {};
  const attributes = { src: origin, library, video: guid, label: video.title, ...shape, ...Object.fromEntries(given) };
  const fixed = frameSizePx(video, size);
  const style = fixed === null ? '' : ` style="width:${fixed.widthPx}px"`;
  const tag = ['millrace-player', writeAttributes(attributes), ...flags].join(' ');
  const script = `<script async src="${escapeHtml(origin)}/playerjs/millrace-player.js"></script>`;
  return `${script}\n<${tag}${style}></millrace-player>`;
}

/** Values of options that a URL leaves out. */
const STANDARD: Readonly<Record<string, string>> = { autoplay: 'true' };

/** React has an object as style and names attributes in camel case. Its strings contain HTML entities. */
function reactCode({ address, video, size }: Shared): string {
  const { style, ...rest } = frameAttributes(address, video, size);
  const rules = style.split(';').map((rule) => {
    const [name = '', value = ''] = rule.split(':');
    const camel = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    return `${camel}: ${/^\d+$/.test(value) ? value : `'${value}'`}`;
  });
  const lines = Object.entries(rest).map(([name, value]) => `  ${name}="${escapeHtml(value)}"`);
  return ['<iframe', ...lines, `  style={{ ${rules.join(', ')} }}`, '  allowFullScreen', '/>'].join('\n');
}

function oembedAddress({ address, video, size, oembedUrl }: Shared): string {
  const url = new URL(oembedUrl);
  url.searchParams.set('url', address);
  const fixed = frameSizePx(video, size);
  if (fixed !== null) url.searchParams.set('maxWidth', `${fixed.widthPx}`);
  return url.href;
}

/** Media fragments set the start time (https://www.w3.org/TR/media-frags/). */
function videoCode({ video, size, startSec, posterUrl, files }: Shared): string {
  const { style } = frameAttributes('', video, size);
  const fixed = frameSizePx(video, size);
  const sides: Record<string, string> =
    fixed === null ? { style } : { width: `${fixed.widthPx}`, height: `${fixed.heightPx}` };
  const poster: Record<string, string> = posterUrl === null ? {} : { poster: posterUrl };
  const start = startSec > 0 ? `#t=${startSec}` : '';
  const sources = files.map(({ url, type }) => `  <source ${writeAttributes({ src: `${url}${start}`, type })}>`);
  const attributes = writeAttributes({ preload: 'metadata', ...poster, title: video.title, ...sides });
  const head = `<video controls playsinline ${attributes}>`;
  return [head, ...sources, '</video>'].join('\n');
}

function writeAttributes(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => `${name}="${escapeHtml(value)}"`)
    .join(' ');
}
