import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { h264 } from '../../src/media/encode/codecs/h264.ts';
import { planEncode } from '../../src/media/encode/encode.ts';
import { planLadder } from '../../src/media/encode/ladder.ts';
import type { Rational } from '../../src/media/probe/source-facts.ts';
import { planFrameGrid } from '../../src/media/timeline/cut-list.ts';
import { openBrowser } from '../support/browser.ts';
import { collect, factsOf, makeFolder } from '../support/media/run-clip.ts';

const execute = promisify(execFile);

/** Each frame shows its number in a row of ten cells, highest bit first, above four bands of colour. */
const BITS = 10;
const BANDS = ['#c02020', '#20c020', '#2020c0', '#c0c020'];
const FIRST = { widthPx: 640, heightPx: 360 };
const SECOND = { widthPx: 480, heightPx: 640 };
/** Number of frames of each size. */
const PICTURES = 40;
const EACH_MS = 50;
/** Minimum number of frames of each size that a busy machine records. */
const MIN_PICTURES = PICTURES / 8;
/** The second size fitted into the first: same height, centred. */
const FITTED = { widthPx: 270, heightPx: 360, leftPx: 185 };
/** Tolerance on a scale of 255. Four of ten samples share one chroma sample, and the encoder rounds. */
const COLOUR_SLACK = 24;

type Rgb = readonly [number, number, number];

let browser: Browser;
let dir = '';
let remove = async () => {};
beforeAll(async () => {
  [browser, { dir, remove }] = await Promise.all([openBrowser(), makeFolder()]);
});
afterAll(async () => {
  await browser.close();
  await remove();
});

/** Records a canvas in Chromium that is resized midway. Null if Chromium lacks the codec. */
async function record(mimeType: string): Promise<Buffer | null> {
  const page = await browser.newPage();
  const options = { mimeType, sizes: [FIRST, SECOND], pictures: PICTURES, eachMs: EACH_MS, bits: BITS, bands: BANDS };
  const base64 = await page.evaluate(async ({ mimeType: type, sizes, pictures, eachMs, bits, bands }) => {
    if (!MediaRecorder.isTypeSupported(type)) return null;
    const canvas = document.createElement('canvas');
    document.body.append(canvas);
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('Expected a canvas to draw on.');
    const draw = (number: number) => {
      const { width, height } = canvas;
      for (let bit = 0; bit < bits; bit += 1) {
        context.fillStyle = (number >> (bits - 1 - bit)) & 1 ? '#fff' : '#000';
        context.fillRect((bit * width) / bits, 0, width / bits, height / 2);
      }
      for (const [index, band] of bands.entries()) {
        context.fillStyle = band;
        context.fillRect((index * width) / bands.length, height / 2, width / bands.length, height / 2);
      }
    };
    const resize = ({ widthPx, heightPx }: { widthPx: number; heightPx: number }) => {
      canvas.width = widthPx;
      canvas.height = heightPx;
    };
    resize(sizes[0] ?? { widthPx: 0, heightPx: 0 });
    draw(0);
    const recorder = new MediaRecorder(canvas.captureStream(), { mimeType: type, videoBitsPerSecond: 4_000_000 });
    const pieces: Blob[] = [];
    recorder.ondataavailable = ({ data }) => pieces.push(data);
    recorder.start();
    let number = 0;
    for (const size of sizes) {
      resize(size);
      for (let picture = 0; picture < pictures; picture += 1) {
        number += 1;
        draw(number);
        await new Promise((resolve) => setTimeout(resolve, eachMs));
      }
    }
    await new Promise((resolve) => {
      recorder.onstop = resolve;
      recorder.stop();
    });
    const reader = new FileReader();
    await new Promise((resolve) => {
      reader.onload = resolve;
      reader.readAsDataURL(new Blob(pieces));
    });
    return String(reader.result).split(',')[1] ?? '';
  }, options);
  await page.close();
  return base64 === null ? null : Buffer.from(base64, 'base64');
}

/** Decodes frames to RGB of one size, through a filter. */
async function decode(file: string, filter: string, { widthPx, heightPx }: typeof FIRST): Promise<Buffer[]> {
  const argv = ['-nostdin', '-v', 'error', '-i', file, '-vf', filter, '-fps_mode', 'passthrough'];
  const raw = [...argv, '-pix_fmt', 'rgb24', '-f', 'rawvideo', '-'];
  const { stdout } = await execute('ffmpeg', raw, { encoding: 'buffer', maxBuffer: 2 ** 29 });
  const bytes = widthPx * heightPx * 3;
  return Array.from({ length: stdout.length / bytes }, (_, index) =>
    stdout.subarray(index * bytes, (index + 1) * bytes),
  );
}

/** Returns the time of each frame of a file, in slots of the frame grid. */
async function slotsOf(file: string, startSec: number, rate: Rational): Promise<number[]> {
  const argv = ['-v', 'error', '-select_streams', 'v:0', '-show_entries', 'frame=best_effort_timestamp_time'];
  const { stdout } = await execute('ffprobe', [...argv, '-of', 'json', file]);
  const { frames } = JSON.parse(stdout) as { frames: { best_effort_timestamp_time: string }[] };
  return frames.map(({ best_effort_timestamp_time: sec }) => ((Number(sec) - startSec) * rate.num) / rate.den);
}

type Place = { widthPx: number; heightPx: number; leftPx: number };

function colourAt(picture: Buffer, rowPx: number, leftPx: number, topPx: number): Rgb {
  const at = (Math.floor(topPx) * rowPx + Math.floor(leftPx)) * 3;
  return [picture[at] ?? 0, picture[at + 1] ?? 0, picture[at + 2] ?? 0];
}

function numberAt(picture: Buffer, rowPx: number, { widthPx, heightPx, leftPx }: Place): number {
  const cells = Array.from({ length: BITS }, (_, bit) => {
    const [, green] = colourAt(picture, rowPx, leftPx + ((bit + 0.5) * widthPx) / BITS, heightPx / 4);
    return green > 127;
  });
  return cells.reduce((number, isWhite) => number * 2 + Number(isWhite), 0);
}

/** Returns the maximum error of any colour component of the four bands, on a scale of 255. */
function colourFault(picture: Buffer, rowPx: number, { widthPx, heightPx, leftPx }: Place): number {
  const faults = BANDS.flatMap((band, index) => {
    const x = leftPx + ((index + 0.5) * widthPx) / BANDS.length;
    const shown = colourAt(picture, rowPx, x, heightPx * 0.75);
    return shown.map((value, part) => Math.abs(value - Number.parseInt(band.slice(1 + part * 2, 3 + part * 2), 16)));
  });
  return Math.max(...faults);
}

test.each([
  { name: 'VP8', mimeType: 'video/webm;codecs=vp8', file: 'vp8.webm' },
  { name: 'VP9', mimeType: 'video/webm;codecs=vp9', file: 'vp9.webm' },
  { name: 'H.264', mimeType: 'video/webm;codecs=avc1', file: 'h264.mkv' },
])('keeps every frame of a $name canvas recording whose size changes', async (source) => {
  const { mimeType, file } = source;
  const recorded = await record(mimeType);
  if (recorded === null) throw new Error(`Expected a Chromium that records ${mimeType}, as Debian's does.`);
  const path = join(dir, file);
  await writeFile(path, recorded);
  const facts = await factsOf(path);
  const cutList = planFrameGrid(facts);
  const rungs = planLadder(facts, { allowedRungs: [360] });
  const range = { fromSegment: 0, toSegment: cutList.startTicks.length };
  const job = { facts, cutList, range, rungs, codec: h264, watermark: null, decoderThreads: 1, encoderThreads: 1 };
  const { outputs } = await collect(planEncode(job), path);
  const made = join(dir, `${file}.mp4`);
  await writeFile(made, outputs[0] ?? Buffer.alloc(0));

  const shown = await decode(made, 'null', FIRST);
  const numbers = shown.map((picture) => {
    const isFitted = colourAt(picture, FIRST.widthPx, 20, 270).every((value) => value < 20);
    const place = isFitted ? FITTED : { ...FIRST, leftPx: 0 };
    expect(colourFault(picture, FIRST.widthPx, place)).toBeLessThan(COLOUR_SLACK);
    const number = numberAt(picture, FIRST.widthPx, place);
    expect({ number, isFitted }).toEqual({ number, isFitted: number > PICTURES });
    return number;
  });
  const whole = { widthPx: BITS, heightPx: 2 };
  const inFile = (await decode(path, `scale=${BITS}:2:flags=area`, whole)).map((picture) =>
    numberAt(picture, BITS, { ...whole, leftPx: 0 }),
  );
  // A frame may be left out only if the next one follows within less than a slot, or if the file ends within a slot.
  if (cutList.grid.kind !== 'frames') throw new Error('Expected a grid of frames.');
  const { rate, totalFrames } = cutList.grid;
  const slots = await slotsOf(path, facts.startSec, rate);
  expect(slots).toHaveLength(inFile.length);
  const mayBeMissing = (index: number) => (slots[index + 1] ?? totalFrames) - (slots[index] ?? 0) < 0.999;
  const kept = inFile.filter((number, index) => numbers.includes(number) || !mayBeMissing(index));
  expect([...new Set(numbers)]).toEqual([...new Set(kept)]);
  // On a busy machine, a recorder drops frames, but never most of the frames of a size.
  for (const isSecond of [false, true])
    expect(kept.filter((number) => number > PICTURES === isSecond).length).toBeGreaterThanOrEqual(MIN_PICTURES);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
});
