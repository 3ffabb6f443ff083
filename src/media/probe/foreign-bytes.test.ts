import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { recognizeForeign } from './foreign-bytes.ts';
import { readTinyFault } from './read-tiny-fault.ts';

const MP4 = Buffer.from('\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41', 'latin1');
const MATROSKA = Buffer.from('\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\xf2\x81', 'latin1');
const FORM = '--x-1\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\n\r\n';

test.each<[string, string | Buffer]>([
  ['multipart/form-data', FORM],
  ['multipart/form-data', FORM.replace('Content-D', 'Content-Type: video/mp4\r\nContent-D')],
  ['a data URL', `data:video/mp4;base64,${MP4.toString('base64')}`],
  ['a data URL', 'data:;base64,AAAA'],
  ['base64', MP4.toString('base64')],
  ['base64', MATROSKA.toString('base64')],
  ['base64', `${MP4.toString('base64').slice(0, 20)}\r\n${MP4.toString('base64').slice(20)}`],
  ['an HTML page', '<!DOCTYPE html><html><title>Sign in</title>'],
  ['an HTML page', '\uFEFF\n <!-- a --><html lang="en">'],
  ['an HTML page', Buffer.from('\uFEFF<html><body>', 'utf16le')],
  ['an HLS playlist', '#EXTM3U\n#EXT-X-VERSION:3\n'],
  ['a DASH manifest', '<?xml version="1.0"?>\n<MPD xmlns="urn:mpeg:dash:schema:mpd:2011">'],
  ['an SVG image', '<svg xmlns="http://www.w3.org/2000/svg">'],
  ['XML', '<?xml version="1.0"?><Error><Code>AccessDenied</Code>'],
  ['JSON', '{"title":"x"}'],
  ['JSON', ' [ {"a": 1} ]'],
  ['JSON', '{}'],
  ['WebVTT captions', 'WEBVTT\n\n00:00.000 --> 00:01.000\nHi'],
  ['SubRip captions', '1\n00:00:00,000 --> 00:00:01,000\nHi'],
  ['a Git LFS pointer', 'version https://git-lfs.github.com/spec/v1\n'],
  ['text', 'A few words. '.repeat(50)],
  ['text', 'Wörter überall. '.repeat(50)],
  ['a zip archive', 'PK\x03\x04\x14\0'],
  ['a torrent', 'd8:announce35:udp://tracker'],
  ['a PDF', '%PDF-1.7\n'],
  ['a JPEG image', Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF', 'latin1')],
  [
    'multipart/form-data',
    Buffer.concat([
      Buffer.from('--------x\r\nContent-Disposition: form-data; name="f"; filename="a.mp4"\r\n\r\n'),
      Buffer.from([0, 0, 0, 0x20]),
    ]),
  ],
  ['a PNG image', Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1')],
  ['a WebP image', 'RIFF\0\0\0\0WEBPVP8 '],
  ['an animated WebP image', `RIFF\0\0\0\0WEBPVP8X${'\0'.repeat(14)}ANIM`],
  ['a HEIF or AVIF image', '\0\0\0\x20ftypavif'],
  ['a gzip archive', Buffer.from('\x1f\x8b\x08\0', 'latin1')],
  ['a tar archive', `film.mp4${'\0'.repeat(249)}ustar`],
])('recognises %s', (kind, start) => {
  expect(recognizeForeign(Buffer.from(start as never))?.kind).toBe(kind);
});

test.each<[string, string | Buffer]>([
  ['an MP4', MP4],
  ['Matroska', MATROSKA],
  ['AVI', 'RIFF\0\0\0\0AVI LIST'],
  ['WAV', 'RIFF\0\0\0\0WAVEfmt '],
  ['GIF', 'GIF89a\x01\0\x01\0'],
  ['MPEG-TS', Buffer.from(`\x47\x40\x11\x10${'\0'.repeat(600)}`, 'latin1')],
  ['an MP3 frame', Buffer.from('\xff\xfb\x90\x64', 'latin1')],
  ['Ogg', 'OggS\0\x02'],
  ['a few words', 'hello world'],
  ['a repeated letter', 'x'.repeat(2_000)],
  ['a brace followed by binary bytes', Buffer.from('{\0\x01\x02', 'latin1')],
  ['nothing', ''],
])('leaves %s to ffprobe', (_, start) => {
  expect(recognizeForeign(Buffer.from(start as never))).toBeNull();
});

const TINY = path.join(tmpdir(), `mr-tiny-${process.pid}`);
afterAll(() => rm(TINY, { force: true }));

test.each(['hello world', 'hello', 'Wörter', '{ broken', '<p>Sign in</p>', '404: Not Found\n'])(
  'recognises %j as text if no bytes follow',
  async (words) => {
    expect(recognizeForeign(Buffer.from(words))).toBeNull();
    expect(recognizeForeign(Buffer.from(words), true)).toMatchObject({ kind: 'text' });
    await writeFile(TINY, words);
    const bytes = Buffer.byteLength(words);
    const advice = 'send the bytes of the video or audio file.';
    const message = `Expected a video or audio file, got text of ${bytes} bytes: ${advice}`;
    expect(await readTinyFault(TINY, bytes)).toEqual({ kind: 'not-media', message });
  },
);

test.each([MP4, MATROSKA, Buffer.alloc(0), Buffer.from('GIF89a\x01\0\x01\0')])(
  'leaves a short file that is not text to ffprobe',
  (bytes) => {
    expect(recognizeForeign(bytes, true)).toBeNull();
  },
);
