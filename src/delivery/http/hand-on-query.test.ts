import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { handOnQuery } from './hand-on-query.ts';

const QUERY = 'token=HS256-a&token_path=%2Fx%2F&expires=5';

function hand(contentType: string, text: string): string {
  const answer = { kind: 'bytes', bytes: Buffer.from(text), contentType, cacheControl: '', etag: null } as const;
  const handed = handOnQuery(answer, QUERY);
  return handed.kind === 'bytes' ? handed.bytes.toString() : '';
}

test('adds the query to all relative URLs of a playlist, and not to absolute ones', () => {
  const text = [
    '#EXTM3U',
    '#EXT-X-MAP:URI="init.mp4"',
    '#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://key",KEYFORMAT="com.apple.streamingkeydelivery"',
    '#EXTINF:4,',
    '0.m4s',
    'r/a/video.m3u8?drm=identity',
    '',
  ].join('\n');
  expect(hand('application/vnd.apple.mpegurl', text).split('\n')).toEqual([
    '#EXTM3U',
    `#EXT-X-MAP:URI="init.mp4?${QUERY}"`,
    '#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://key",KEYFORMAT="com.apple.streamingkeydelivery"',
    '#EXTINF:4,',
    `0.m4s?${QUERY}`,
    `r/a/video.m3u8?drm=identity&${QUERY}`,
    '',
  ]);
});

test('adds the query to a compressed playlist', () => {
  const answer = {
    ...({ kind: 'bytes', bytes: gzipSync('0.m4s\n'), contentType: 'application/vnd.apple.mpegurl' } as const),
    ...{ cacheControl: '', etag: null, headers: { Vary: 'Accept-Encoding', 'Content-Encoding': 'gzip' } },
  };
  const handed = handOnQuery(answer, QUERY);
  expect(handed).toMatchObject({ bytes: Buffer.from(`0.m4s?${QUERY}\n`), headers: { Vary: 'Accept-Encoding' } });
  expect(handed).not.toHaveProperty(['headers', 'Content-Encoding']);
});

test('does not repeat parameters that a URL already has', () => {
  const text = 'r/a/video.m3u8?from=5&expires=5\n';
  expect(hand('application/vnd.apple.mpegurl', text)).toBe(
    'r/a/video.m3u8?from=5&expires=5&token=HS256-a&token_path=%2Fx%2F\n',
  );
});

test('escapes the query for XML in a manifest and inserts it before the fragment in a storyboard', () => {
  const mpd = '<SegmentTemplate media="r/$RepresentationID$/$Number$.m4s" initialization="r/init.mp4"/>';
  const escaped = QUERY.replaceAll('&', '&amp;');
  expect(hand('application/dash+xml', mpd)).toBe(
    `<SegmentTemplate media="r/$RepresentationID$/$Number$.m4s?${escaped}" initialization="r/init.mp4?${escaped}"/>`,
  );
  expect(hand('text/vtt; charset=utf-8', 'WEBVTT\n\n00:00.000 --> 00:02.000\n_0.jpg#xywh=0,0,1,1\n')).toContain(
    `\n_0.jpg?${QUERY}#xywh=0,0,1,1\n`,
  );
  expect(hand('video/mp4', 'a.m4s')).toBe('a.m4s');
});
