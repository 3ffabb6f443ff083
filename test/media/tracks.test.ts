import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { extractCaptions } from '../../src/jobs/planning/extract-captions.ts';
import { readCaptions } from '../../src/media/captions/read-captions.ts';
import { checkWhole } from '../jobs/check-video.ts';
import { addLibrary, loadMedia, startWorkerFixture, until, type WorkerFixture } from '../jobs/worker-fixture.ts';
import { writeDiscSubtitles } from './disc-subtitles.ts';
import { GROUP_LIMIT_SEC, keyOf, requireFinished, type Source, uploadMany } from './many.ts';
import { playlistOf, renditionFiles, samples, share } from './rendition-file.ts';

const lavfi = (graph: string) => ['-f', 'lavfi', '-i', graph];
const picture = lavfi('testsrc=s=160x120:r=10:d=4');
const tone = (hz: number) => lavfi(`sine=frequency=${hz}:sample_rate=48000:d=4`);
const VIDEO = ['-c:v', 'mpeg4', '-q:v', '6'];

const SOURCES: Source[] = [
  { name: 'languages.mkv', argv: languages() },
  { name: 'tracks.mkv', argv: tracks() },
  { name: 'sides.mov', argv: sides() },
];

/**
 * Returns ffmpeg arguments for a file with three English audio tracks (description, main, commentary) and a microphone
 * track without a language.
 */
function tracks(): string[] {
  const inputs = [...picture, ...tone(300), ...tone(600), ...tone(900), ...tone(1200)];
  const maps = ['0:v', '1:a', '2:a', '3:a', '4:a'].flatMap((stream) => ['-map', stream]);
  const tags = [
    ...['-metadata:s:a:0', 'language=eng', '-metadata:s:a:0', 'title=Audio description'],
    ...['-metadata:s:a:1', 'language=eng', '-metadata:s:a:1', 'title=Feature'],
    ...['-metadata:s:a:2', 'language=eng', '-disposition:a:2', 'comment'],
    ...['-metadata:s:a:3', 'title=Microphone', '-disposition:a:0', '0', '-disposition:a:1', 'default'],
  ];
  return [...inputs, ...maps, ...VIDEO, '-c:a', 'aac', ...tags];
}

/** Returns ffmpeg arguments for a file whose left and right channel are separate mono tracks. */
function sides(): string[] {
  return [...picture, ...tone(300), ...tone(900), '-map', '0', '-map', '1', '-map', '2', ...VIDEO, '-c:a', 'pcm_s16le'];
}

function languages(): string[] {
  const inputs = [...picture, ...tone(300), ...tone(600), ...tone(900)];
  const maps = ['0:v', '1:a', '2:a', '3:a'].flatMap((stream) => ['-map', stream]);
  const tags = ['language=ger', 'language=pt-BR', 'language=eng'].flatMap((tag, index) => [
    `-metadata:s:a:${index}`,
    tag,
  ]);
  const named = ['-metadata:s:a:1', 'title=Brasil', '-disposition:a:0', '0', '-disposition:a:2', 'default'];
  return [...inputs, ...maps, ...VIDEO, '-c:a', 'aac', ...tags, ...named];
}

const SRT = '1\n00:00:01,000 --> 00:00:02,500\nHallo <i>Welt</i>\n\n2\n00:00:03,000 --> 00:00:04,000\nEnde\n';
const ASS = `[Script Info]
ScriptType: v4.00+
[V4+ Styles]
Format: Name, Fontname, Fontsize
Style: Default,Arial,20
[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:01.00,0:00:02.50,Default,,0,0,0,,{\\b1}Bonjour{\\b0}\\Nmonde
`;

/** SubRip in Shift_JIS with the word for Japanese. */
const SHIFT_JIS = Buffer.concat([
  Buffer.from('1\n00:00:01,000 --> 00:00:02,500\n'),
  Buffer.from('93fa967b8cea', 'hex'),
  Buffer.from('\n\n'),
]);

let fixture: WorkerFixture;
let keys: Map<string, MediaKey>;
beforeAll(async () => {
  fixture = await startWorkerFixture();
  const libraryId = await addLibrary(fixture, { encoding: { rungs: [240] } });
  await fixture.startWorker();
  await writeFile(path.join(fixture.clips, 'a.srt'), SRT);
  await writeFile(path.join(fixture.clips, 'a.ass'), ASS);
  await writeFile(path.join(fixture.clips, 'shift-jis.srt'), SHIFT_JIS);
  await writeFile(path.join(fixture.clips, 'a.sup'), writeDiscSubtitles());
  keys = await uploadMany(fixture, libraryId, [...SOURCES, ...subtitled()]);
}, GROUP_LIMIT_SEC * 1000);
afterAll(() => fixture.stop());

function subtitled(): Source[] {
  const text = (name: string) => ['-i', path.join(fixture.clips, name)];
  const maps = [
    '-map',
    '0:v',
    '-map',
    '1',
    '-map',
    '2',
    '-metadata:s:s:0',
    'language=ger',
    '-metadata:s:s:1',
    'language=fre',
  ];
  const one = [...picture, ...text('a.srt'), '-map', '0:v', '-map', '1', '-metadata:s:s:0', 'language=ger'];
  return [
    { name: 'texts.mkv', argv: [...picture, ...text('a.srt'), ...text('a.ass'), ...maps, ...VIDEO, '-c:s', 'copy'] },
    { name: 'text.mp4', argv: [...one, ...VIDEO, '-c:s', 'mov_text'] },
    { name: 'kinds.mkv', argv: kindsOfText(text('a.srt')) },
    { name: 'pictures.mkv', argv: picturesOfText(text('a.sup')) },
    {
      name: 'shift-jis.mkv',
      argv: [
        ...[...picture, ...text('shift-jis.srt'), '-map', '0:v', '-map', '1', '-metadata:s:s:0', 'language=jpn'],
        ...[...VIDEO, '-c:s', 'copy'],
      ],
    },
    { name: 'text.webm', argv: [...one, '-c:v', 'libvpx', '-deadline', 'realtime', '-c:s', 'webvtt'] },
  ];
}

/**
 * Returns ffmpeg arguments for a file with four English subtitle tracks in the order of discs: forced, full, SDH and a
 * second full track.
 */
function kindsOfText(input: string[]): string[] {
  const maps = ['0:v', '1', '1', '1', '1'].flatMap((stream) => ['-map', stream]);
  const tags = [
    ...['-disposition:s:0', 'forced', '-metadata:s:s:0', 'title=English forced', '-metadata:s:s:1', 'title=Full'],
    ...['-disposition:s:2', 'hearing_impaired', '-metadata:s:s:2', 'title=English SDH'],
    ...[0, 1, 2, 3].flatMap((index) => [`-metadata:s:s:${index}`, 'language=eng']),
  ];
  return [...picture, ...input, ...maps, ...VIDEO, '-c:s', 'copy', ...tags];
}

/** Subtitles as a Blu-ray disc (PGS) and a DVD have them. */
function picturesOfText(input: string[]): string[] {
  const maps = ['0:v', '1', '1'].flatMap((stream) => ['-map', stream]);
  const tags = ['-metadata:s:s:0', 'language=eng', '-metadata:s:s:0', 'title=Signs', '-metadata:s:s:1', 'language=ger'];
  return [...picture, ...input, ...maps, ...VIDEO, '-c:s:0', 'copy', '-c:s:1', 'dvdsub', ...tags];
}

async function checked(name: string): Promise<MediaKey> {
  const key = keyOf(keys, name);
  await requireFinished(fixture, key);
  await checkWhole(fixture, key);
  return key;
}

test("keeps and names every language, and the file's preferred language is the default", async () => {
  const key = await checked('languages.mkv');
  const lines = (await playlistOf(fixture, key)).split('\n').filter((line) => line.startsWith('#EXT-X-MEDIA'));
  const shown = lines.map((line) => /NAME="(.*?)",LANGUAGE="(.*?)",DEFAULT=(\w+)/.exec(line)?.slice(1).join(' '));
  expect(new Set(shown)).toEqual(new Set(['English en YES', 'German de NO', 'Brasil pt-BR NO']));
  const tones = new Map([
    ['de', 300],
    ['pt-BR', 600],
    ['en', 900],
  ]);
  const sounds = (await renditionFiles(fixture, key)).filter(({ row }) => row.kind === 'audio');
  expect(sounds).toHaveLength(3);
  for (const { row, file } of sounds) {
    expect(share(await samples(file), tones.get(row.language) ?? 0), row.language).toBeGreaterThan(0.9);
  }
});

test('offers every track under its own title, with its purpose', async () => {
  const key = await checked('tracks.mkv');
  const lines = (await playlistOf(fixture, key)).split('\n').filter((line) => line.startsWith('#EXT-X-MEDIA'));
  const shown = lines.map((line) => line.replace(/.*NAME=/, '').replace(/,URI.*/, ''));
  expect(new Set(shown)).toEqual(
    new Set([
      '"Feature",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2"',
      '"Audio description",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=YES,' +
        'CHARACTERISTICS="public.accessibility.describes-video",CHANNELS="2"',
      '"English (commentary)",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=NO,CHANNELS="2"',
      '"Microphone",DEFAULT=NO,AUTOSELECT=YES,CHANNELS="2"',
    ]),
  );
  const tones = new Map(Object.entries({ 'Audio description': 300, Feature: 600, Microphone: 1200 }));
  const sounds = (await renditionFiles(fixture, key)).filter(({ row }) => row.kind === 'audio');
  for (const { row, file } of sounds) {
    expect(share(await samples(file), tones.get(row.name) ?? 900), row.name).toBeGreaterThan(0.9);
  }
});

test('merges two mono tracks into one stereo track', async () => {
  const sounds = (await renditionFiles(fixture, await checked('sides.mov'))).filter(({ row }) => row.kind === 'audio');
  expect(sounds).toHaveLength(1);
  const file = sounds[0]?.file ?? '';
  expect(share(await samples(file, 'pan=mono|c0=c0'), 300)).toBeGreaterThan(0.9);
  expect(share(await samples(file, 'pan=mono|c0=c1'), 900)).toBeGreaterThan(0.9);
});

test.each([
  { name: 'texts.mkv', languages: ['de', 'fr'] },
  { name: 'text.mp4', languages: ['de'] },
  { name: 'text.webm', languages: ['de'] },
])('the text subtitles of $name become captions', async ({ name, languages: wanted }) => {
  const key = keyOf(keys, name);
  await until(async () => (await loadMedia(fixture, key)).captions.length === wanted.length, 'captions');
  await checked(name);
  const { captions, caption_versions: versions } = await loadMedia(fixture, key);
  // A person's captions of the same language get a separate file.
  expect(versions).toEqual(Object.fromEntries(wanted.map((language) => [language, 1])));
  expect(captions.map(({ srclang, version }) => `${srclang} ${version}`)).toEqual(
    wanted.map((language) => `${language} 1`),
  );
  for (const { key: object, srclang } of captions) {
    expect(object).toBe(`${key.libraryId}/${key.mediaId}/captions/${srclang}-1.vtt`);
    const text = (await fixture.storage.readBytes(object, null, new AbortController().signal)).toString();
    const { cues, errors } = readCaptions(text);
    expect(errors).toEqual([]);
    expect(cues[0]).toMatchObject({ startMs: 1000, endMs: 2500 });
    expect(cues[0]?.text).toMatch(srclang === 'de' ? /^Hallo <i>Welt<\/i>$/ : /^(<b>)?Bonjour(<\/b>)?\nmonde$/);
  }
  expect(captions[0]?.label).toBe('German');
});

test('lists several text tracks of one language by purpose', async () => {
  const key = keyOf(keys, 'kinds.mkv');
  await until(async () => (await loadMedia(fixture, key)).captions.length === 4, 'captions');
  const { captions } = await loadMedia(fixture, key);
  expect(captions.map(({ srclang, label }) => [srclang, label])).toEqual([
    ['en', 'Full'],
    ['en-2', 'English'],
    ['en-sdh', 'English SDH'],
    ['en-forced', 'English forced'],
  ]);
});

test('subtitles in an old encoding of their language become readable captions, with a message', async () => {
  const key = await checked('shift-jis.mkv');
  await until(async () => (await loadMedia(fixture, key)).captions.length === 1, 'captions');
  const { captions, messages } = await loadMedia(fixture, key);
  const [{ key: object } = { key: null }] = captions;
  if (object === null) throw new Error('Expected captions.');
  const text = (await fixture.storage.readBytes(object, null, new AbortController().signal)).toString();
  expect(readCaptions(text).cues.map((cue) => cue.text)).toEqual(['日本語']);
  expect(messages.map(({ message }) => message)).toEqual([expect.stringContaining('decoded as Shift_JIS.')]);
});

test('each image-based subtitle track adds a message that suggests a text format', async () => {
  const key = await checked('pictures.mkv');
  const { captions, messages } = await loadMedia(fixture, key);
  expect(captions).toEqual([]);
  expect(messages.map(({ level, message }) => [level, message])).toEqual([
    [2, expect.stringMatching(/^The subtitles of stream 1 \(Signs, en, hdmv_pgs_subtitle\) are left out: .* SubRip/)],
    [2, expect.stringMatching(/^The subtitles of stream 2 \(de, dvd_subtitle\) are left out: .* WebVTT/)],
  ]);
});

test('keeps captions that a user wrote when the original is read again', async () => {
  const key = keyOf(keys, 'texts.mkv');
  await until(async () => (await loadMedia(fixture, key)).captions.length === 2, 'captions');
  const [, french] = (await loadMedia(fixture, key)).captions;
  const mine = { srclang: 'de', label: 'Mine', version: 4, key: 'x/de-4.vtt' };
  const { db } = fixture.database;
  await db
    .updateTable('media')
    .set({ captions: JSON.stringify([mine]) })
    .where('id', '=', key.mediaId)
    .execute();
  await db.transaction().execute(fixture.sender.send(extractCaptions, key));
  await until(async () => (await loadMedia(fixture, key)).captions.length === 2, 'the other language');
  expect((await loadMedia(fixture, key)).captions).toEqual([
    mine,
    { ...french, version: 2, key: french?.key.replace('fr-1', 'fr-2') },
  ]);
});
