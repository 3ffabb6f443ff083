import { expect, test } from 'vitest';
import { findSegments, findVariant } from './read-playlist.ts';

const BASE = 'https://cdn.example.com/token/abc/playlist.m3u8';

test('finds the variant with the most bits per second', () => {
  const text = [
    '#EXTM3U',
    '#EXT-X-STREAM-INF:BANDWIDTH=800000,RESOLUTION=640x360',
    '360p/video.m3u8',
    '#EXT-X-STREAM-INF:RESOLUTION=1280x720,CODECS="avc1.4d401f,mp4a.40.2",BANDWIDTH=2400000',
    '# a comment',
    '720p/video.m3u8',
  ].join('\r\n');
  expect(findVariant(text, BASE)).toBe('https://cdn.example.com/token/abc/720p/video.m3u8');
  expect(findVariant('#EXTM3U\n#EXTINF:4,\n0.ts\n', BASE)).toBe(BASE);
});

test('refuses a variant whose audio is in a playlist of its own', () => {
  const media = '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English"';
  const variant = '#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"\nvideo.m3u8';
  expect(findVariant(`#EXTM3U\n${media}\n${variant}`, BASE)).toMatch(/video\.m3u8$/);
  expect(() => findVariant(`#EXTM3U\n${media},URI="a.m3u8"\n${variant}`, BASE)).toThrow('separate audio');
});

test('lists the segments after their initialization section', () => {
  const text = '#EXTM3U\n#EXT-X-KEY:METHOD=NONE\n#EXT-X-MAP:URI="init.mp4"\n#EXTINF:4,\n0.m4s\n#EXTINF:4,\n/1.m4s\n';
  const base = 'https://cdn.example.com/abc/720p/video.m3u8';
  expect(findSegments(`${text}#EXT-X-ENDLIST`, base)).toEqual([
    'https://cdn.example.com/abc/720p/init.mp4',
    'https://cdn.example.com/abc/720p/0.m4s',
    'https://cdn.example.com/1.m4s',
  ]);
});

test.each([
  ['#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="k"\n#EXTINF:4,\n0.ts\n#EXT-X-ENDLIST', 'encrypted'],
  ['#EXTM3U\n#EXT-X-BYTERANGE:10@0\n#EXTINF:4,\n0.ts\n#EXT-X-ENDLIST', 'parts of files'],
  ['#EXTM3U\n#EXT-X-MAP:URI="a",BYTERANGE="9@0"\n#EXTINF:4,\n0.ts\n#EXT-X-ENDLIST', 'parts of files'],
  ['#EXTM3U\n#EXTINF:4,\n0.ts\n', 'not complete'],
  ['#EXTM3U\n#EXT-X-ENDLIST', '1 to'],
  ['<html>', 'something else'],
  ['#EXTM3U\n#EXTINF:4,\nhttp://[\n#EXT-X-ENDLIST', 'valid URLs in an HLS playlist, got "http://["'],
])('refuses %j', (text, reason) => {
  expect(() => findSegments(text, BASE)).toThrow(reason);
});
