import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LiveFixture, openLiveFixture } from '../live/live-fixture.ts';
import { COLOUR_CLIPS, makeColourFile, measureBars } from './media-sync/colour-sources.ts';
import { LIVE_CASES, type MeasuredLive, measureLive } from './media-sync/live-cases.ts';
import { measureVideo, sendSource } from './media-sync/measure-video.ts';
import { type MeasuredRow, tableOf, writeMeasured } from './media-sync/measured-table.ts';
import { makeSyncFiles, SYNC_CLIPS } from './media-sync/sync-sources.ts';

const MAX_OFFSET_MS = 20;
const MAX_COLOUR_ERROR = 8;
const MAX_RUNG_ERROR = 4;
/**
 * Minimum number of beeps to compare per output. Lost packets remove some beeps. A clip of 4 s has three, and a gap
 * removes one of them.
 */
const MIN_POINTS = { HLS: 5, DASH: 5, MP4: 5, clip: 2, joined: 4 };
const LIMIT_MS = 400_000;

type Sent = { guid: string; file: string; shown: string };

let fixture: LiveFixture;
let folder: string;
const sent = new Map<string, Sent>();
const rows: MeasuredRow[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-media-sync-'));
  fixture = await openLiveFixture();
});
afterAll(async () => {
  await fixture.close();
  await rm(folder, { recursive: true, force: true });
});

const UNMEASURED = { avMs: null, frames: null, colour: null, rungs: null };

/**
 * Every third source is also clipped and joined, except those whose frame numbers repeat: their parts cannot be told
 * apart.
 */
const COMPOSED_EACH = 3;

/** Sources to upload, in the order in which they are measured. */
const SOURCES = [
  ...SYNC_CLIPS.map((clip) => ({ name: clip.name, make: () => makeSyncFiles(folder, clip) })),
  ...COLOUR_CLIPS.map((clip) => ({
    name: clip.name,
    make: async () => {
      const file = await makeColourFile(folder, clip);
      return { file, shown: file };
    },
  })),
];

/** Returns an uploaded source. Also uploads the next source, so that it is encoded while this one is measured. */
async function sentAs(name: string): Promise<Sent> {
  const index = SOURCES.findIndex((one) => one.name === name);
  for (const source of SOURCES.slice(index, index + 2)) {
    if (sent.has(source.name)) continue;
    const files = await source.make();
    sent.set(source.name, { guid: await sendSource(fixture.service, source.name, files.file), ...files });
  }
  const found = sent.get(name);
  if (found === undefined) throw new Error(`Expected ${name} to be uploaded.`);
  return found;
}

/** Prints results immediately, because a run takes minutes. */
function tell(name: string, found: readonly object[]): void {
  for (const one of found) process.stdout.write(`${name}: ${JSON.stringify(one)}\n`);
}

test.each(SYNC_CLIPS)(
  'each output of $name keeps audio in sync and all frames',
  async ({ name, ...reading }) => {
    const { guid, shown } = await sentAs(name);
    const isThird = SYNC_CLIPS.findIndex((one) => one.name === name) % COMPOSED_EACH === 0;
    const isComposed = isThird && reading.pitches !== false;
    const measured = await measureVideo(fixture.service, guid, { shown, reading, isComposed });
    tell(name, measured);
    for (const { product, largestMs, missing, doubled } of measured) {
      rows.push({ ...UNMEASURED, product, source: name, avMs: largestMs, frames: missing + doubled });
    }
    const faults = measured.filter(
      ({ product, largestMs, missing, doubled, points }) =>
        largestMs >= MAX_OFFSET_MS || missing + doubled > 0 || points < MIN_POINTS[product],
    );
    expect(faults).toEqual([]);
  },
  LIMIT_MS,
);

test.each(COLOUR_CLIPS)(
  'each output and rung of $name keeps its colours',
  async (clip) => {
    const measured = await measureBars(fixture.service, (await sentAs(clip.name)).guid, clip);
    tell(clip.name, measured);
    for (const { product, largest, rungs } of measured) {
      rows.push({ ...UNMEASURED, product, source: clip.name, colour: largest, rungs });
    }
    const faults = measured.filter(({ largest, rungs }) => largest >= MAX_COLOUR_ERROR || rungs >= MAX_RUNG_ERROR);
    expect(faults).toEqual([]);
  },
  LIMIT_MS,
);

test.each(LIVE_CASES)(
  '$row continues for a player, and its recording keeps audio and video in sync',
  async (one) => {
    const measured: MeasuredLive = await measureLive(fixture, one);
    tell(one.row, [...measured.products, { faults: measured.faults }]);
    for (const { product, largestMs, frames } of measured.products) {
      rows.push({ ...UNMEASURED, product, source: one.row, avMs: largestMs, frames });
    }
    expect(measured.faults).toEqual([]);
    for (const { product, largestMs, frames, points, soundHolesSec } of measured.products) {
      expect(points, product).toBeGreaterThan(3);
      expect(soundHolesSec, product).toBe(0);
      expect(frames ?? 0, product).toBe(0);
      expect(largestMs, product).toBeLessThan(MAX_OFFSET_MS);
    }
  },
  LIMIT_MS,
);

afterAll(async () => {
  process.stdout.write(`${['', ...tableOf(rows), ''].join('\n')}\n`);
  const measured = new Set(rows.map(({ source }) => source));
  // A run of selected tests must not overwrite the results of a full run.
  if (measured.size === SYNC_CLIPS.length + COLOUR_CLIPS.length + LIVE_CASES.length) await writeMeasured(rows);
});
