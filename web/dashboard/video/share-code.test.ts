import { expect, test } from 'vitest';
import { type CodeKind, type Shared, shareCode } from './share-code.ts';

const SHARED: Shared = {
  address: 'http://edge/embed/1/2?muted=true&t=90',
  video: { width: 1920, height: 1080, title: 'A "film"' },
  size: { kind: 'fluid' },
  startSec: 90,
  oembedUrl: 'http://api/prefix/OEmbed',
  posterUrl: 'http://edge/v/2/thumbnail.jpg',
  files: [
    { url: 'http://edge/v/2/playlist.m3u8', type: 'application/vnd.apple.mpegurl' },
    { url: 'http://edge/v/2/play_720p.mp4', type: 'video/mp4' },
  ],
};
const FIXED = { ...SHARED, size: { kind: 'fixed', widthPx: 640 } } as const;
const SRC = 'src="http://edge/embed/1/2?muted=true&amp;t=90"';

test.each<{ kind: CodeKind; shared: Shared; parts: readonly string[] }>([
  { kind: 'iframe', shared: SHARED, parts: [SRC, 'title="A &quot;film&quot;"', 'width:100%;aspect-ratio:1920/1080"'] },
  { kind: 'iframe', shared: FIXED, parts: ['width="640" height="360"', 'style="border:0"'] },
  {
    kind: 'element',
    shared: SHARED,
    parts: [
      '<script async src="http://edge/playerjs/millrace-player.js"></script>\n<millrace-player src="http://edge"',
      'library="1" video="2" label="A &quot;film&quot;" ratio="1920/1080" start="90" autoplay muted></millrace-player>',
    ],
  },
  { kind: 'element', shared: FIXED, parts: ['style="width:640px"'] },
  { kind: 'react', shared: SHARED, parts: [SRC, "style={{ border: 0, width: '100%', aspectRatio: '1920/1080' }}"] },
  { kind: 'react', shared: FIXED, parts: ['width="640"', 'height="360"', 'style={{ border: 0 }}', 'allowFullScreen'] },
  { kind: 'video', shared: SHARED, parts: ['playlist.m3u8#t=90"', 'play_720p.mp4#t=90" type="video/mp4">', 'poster='] },
  { kind: 'video', shared: FIXED, parts: ['width="640" height="360"'] },
])('the $kind code has the URL, title and size of the video', ({ kind, shared, parts }) => {
  for (const part of parts) expect(shareCode(kind, shared)).toContain(part);
});

test('the oEmbed URL contains the player page and the size', () => {
  const { origin, pathname, searchParams } = new URL(shareCode('oembed', FIXED));
  expect(origin + pathname).toBe(FIXED.oembedUrl);
  expect(Object.fromEntries(searchParams)).toEqual({ url: FIXED.address, maxWidth: '640' });
});

test('a portrait video has a portrait frame of the chosen width', () => {
  const portrait = { ...FIXED, video: { width: 1080, height: 1920, title: 'A' } };
  expect(shareCode('iframe', portrait)).toContain('width="640" height="1138"');
});
