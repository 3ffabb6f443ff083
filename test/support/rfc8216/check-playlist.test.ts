import { expect, test } from 'vitest';
import { checkPlaylist } from './check-playlist.ts';

const media = [
  '#EXTM3U',
  '#EXT-X-VERSION:7',
  '#EXT-X-TARGETDURATION:4',
  '#EXT-X-PLAYLIST-TYPE:VOD',
  '#EXT-X-MAP:URI="init.mp4"',
  '#EXTINF:4.004000,',
  '0.m4s',
  '#EXTINF:2.000000,',
  '1.m4s',
  '#EXT-X-ENDLIST',
  '',
].join('\n');
const multivariant = [
  '#EXTM3U',
  '#EXT-X-VERSION:7',
  '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="Audio",DEFAULT=YES,AUTOSELECT=YES,URI="a.m3u8"',
  '#EXT-X-STREAM-INF:BANDWIDTH=10,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=16x9,FRAME-RATE=24.000,CLOSED-CAPTIONS=NONE,AUDIO="audio"',
  'v.m3u8',
  '',
].join('\n');

test('valid playlists have no faults', () => {
  expect(checkPlaylist(media)).toEqual([]);
  expect(checkPlaylist(multivariant)).toEqual([]);
});

test.each([
  ['a missing target duration', media, '#EXT-X-TARGETDURATION:4\n', '', /TARGETDURATION/],
  ['a segment over the target', media, '4.004000', '4.600000', /exceeds/],
  ['a missing EXTINF comma', media, '4.004000,', '4.004000', /EXTINF is malformed/],
  ['a duplicate segment', media, '1.m4s', '0.m4s', /listed twice/],
  ['an endless VOD', media, '#EXT-X-ENDLIST\n', '', /no end/],
  [
    'a late init segment',
    media,
    '#EXT-X-MAP:URI="init.mp4"\n#EXTINF:4.004000,\n0.m4s\n',
    '#EXTINF:4,\n0.m4s\n#EXT-X-MAP:URI="init.mp4"\n',
    /after a segment/,
  ],
  ['a version too low', media, 'VERSION:7', 'VERSION:5', /version 6/],
  [
    'a duplicate tag',
    media,
    '#EXT-X-PLAYLIST-TYPE:VOD\n',
    '#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-PLAYLIST-TYPE:VOD\n',
    /2 times/,
  ],
  ['an unquoted URI', media, '"init.mp4"', 'init.mp4', /no quoted/],
  ['a missing bandwidth', multivariant, 'BANDWIDTH=10,', '', /BANDWIDTH is required/],
  ['a short frame rate', multivariant, '24.000', '24', /3 decimals/],
  ['an unknown group', multivariant, ',AUDIO="audio"', ',AUDIO="other"', /does not exist/],
  ['an unknown subtitle group', multivariant, ',AUDIO="audio"', ',AUDIO="audio",SUBTITLES="s"', /s does not exist/],
  ['subtitles without a URL', multivariant, 'TYPE=AUDIO', 'TYPE=SUBTITLES', /audio does not exist/],
  ['a missing name', multivariant, ',NAME="Audio"', '', /NAME is required/],
  ['a trailing comma', multivariant, ',AUDIO="audio"', ',AUDIO="audio",', /comma|malformed/],
  ['a duplicate attribute', multivariant, 'BANDWIDTH=10', 'BANDWIDTH=10,BANDWIDTH=10', /twice/],
])('reports %s', (_, text, part, replacement, fault) => {
  expect(text).toContain(part);
  expect(checkPlaylist(text.replace(part, replacement)).join('\n')).toMatch(fault);
});
