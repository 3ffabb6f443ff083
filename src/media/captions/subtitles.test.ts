import { writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { factsOf, makeClip, makeFolder } from '../../../test/support/media/run-clip.ts';
import { runFfmpeg } from '../ffmpeg/run-ffmpeg.ts';
import type { Cue } from './cue.ts';
import { readAss } from './read-ass.ts';
import { readCaptions } from './read-captions.ts';
import { chooseSubtitles, planSubtitles, readTrack } from './subtitles.ts';

let dir = '';
let remove = async () => {};
beforeAll(async () => {
  ({ dir, remove } = await makeFolder());
});
afterAll(() => remove());

const SCRIPT = [
  '[Script Info]',
  'ScriptType: v4.00+',
  'PlayResY: 360',
  '[V4+ Styles]',
  'Format: Name, Fontname, Fontsize, Bold, Italic, Alignment',
  'Style: Default,Arial,20,0,0,2',
  'Style: Sign,Arial,20,0,0,8',
  '[Events]',
  'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text',
  'Dialogue: 0,0:00:00.50,0:00:01.50,Default,,0,0,0,,{\\an8}1 < 2 & 3 <b>x</b>, so',
  'Dialogue: 0,0:00:01.50,0:00:02.00,Sign,,0,0,0,,{\\i1}EXIT{\\i0}\\N\\Nto {\\b1\\c&H0000FF&}you\\hall{\\r}!',
  'Dialogue: 0,0:00:02.00,0:00:02.50,Default,,0,0,0,,{\\pos(320,20)}high',
  'Dialogue: 0,0:00:02.50,0:00:03.00,Default,,0,0,0,,{\\p1}m 0 0 l 10 10{\\p0}',
  'Comment: 0,0:00:02.50,0:00:03.00,Default,,0,0,0,,not shown',
];

const plain = (startMs: number, endMs: number, shown: string, settings = ''): Cue => {
  return { startMs, endMs, settings, text: shown };
};

const EXPECTED = [
  plain(500, 1500, '1 &lt; 2 &amp; 3 &lt;b&gt;x&lt;/b&gt;, so', 'line:0'),
  plain(1500, 2000, '<i>EXIT</i>\nto <b>you\u00a0all</b>!', 'line:0'),
  plain(2000, 2500, 'high', 'line:0'),
];

/** Adds a subtitle file to a video and reads its captions back, as extracted after an upload. */
async function extract(name: string, subtitles: string, codec: readonly string[]): Promise<Cue[]> {
  const file = `${dir}/${name}`;
  await writeFile(file, subtitles);
  const picture = ['-f', 'lavfi', '-i', 'color=s=64x64:r=10:d=4', '-i', file, '-map', '0', '-map', '1'];
  const video = await makeClip(dir, `${name}.mkv`, [...picture, '-c:v', 'mpeg4', ...codec]);
  const facts = await factsOf(video);
  const tracks = chooseSubtitles(facts);
  const run = await runFfmpeg(planSubtitles(facts, tracks), { sourcePath: video }, new AbortController().signal);
  const [written = ''] = await Promise.all(run.outputs.map((output) => text(output)));
  await run.done;
  const [track] = tracks;
  if (track === undefined) throw new Error(`Expected a text track in ${name}, found none.`);
  return readTrack(track, written);
}

describe('captions from the text tracks of a file', () => {
  test('SubStation Alpha keeps positions, emphasis and characters that WebVTT uses for tags', async () => {
    expect(await extract('script.ass', `${SCRIPT.join('\n')}\n`, ['-c:s', 'copy'])).toEqual(EXPECTED);
  });

  test('SubRip keeps positions and times to the millisecond', async () => {
    const subtitles = '1\n00:00:00,123 --> 00:00:01,456\n{\\an8}<i>Up</i> 3 <4 & 5> 4\n\n';
    expect(await extract('text.srt', subtitles, ['-c:s', 'copy'])).toEqual([
      plain(123, 1456, '<i>Up</i> 3 &lt;4 &amp; 5&gt; 4', 'line:0'),
    ]);
  });

  test('WebVTT keeps its cue settings', async () => {
    const subtitles = 'WEBVTT\n\n00:00.123 --> 00:01.456 line:0 align:left\n<b>Up</b> &lt;here&gt;\n\n';
    expect(await extract('text.vtt', subtitles, ['-c:s', 'copy'])).toEqual([
      plain(123, 1456, '<b>Up</b> &lt;here&gt;', 'line:0 align:left'),
    ]);
  });
});

test.each([
  ['{\\an8}', 'line:0'],
  ['{\\an7}', 'line:0 align:left'],
  ['{\\fs20\\an6}', 'line:50% align:right'],
  ['{\\a6}', 'line:0'],
  ['{\\a9}', 'line:50% align:left'],
  ['{\\an2}', ''],
  ['{\\i1}', ''],
])('SubRip with %s produces the cue settings "%s"', (code, settings) => {
  const { cues } = readCaptions(`1\n00:00:01,000 --> 00:00:02,000\n${code}x\n`);
  expect(cues).toEqual([plain(1000, 2000, 'x', settings)]);
});

test('converts the alignment numbers of an SSA 4 script', () => {
  const script = SCRIPT.join('\n')
    .replace('[V4+ Styles]', '[V4 Styles]')
    .replace('Sign,Arial,20,0,0,8', 'Sign,Arial,20,0,0,6');
  expect(readAss(script)).toEqual(EXPECTED);
});
