import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type PackagedEvent, StreamPackager } from '../../media/live/packaging/stream-packager.ts';
import { type TrackConfig, VIDEO_TIMESCALE } from '../../media/live/tracks/access-unit.ts';
import { TsDemuxer } from '../../media/mpegts/ts-demuxer.ts';
import { CoreBudget } from './core-budget.ts';
import { StreamLadder } from './stream-ladder.ts';

const PICTURES = ['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=10:duration=5'];
const CODEC = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '20', '-bf', '0', '-pix_fmt', 'yuv420p'];
const LADDER = { rungs: [{ rung: 240, widthPx: 426, heightPx: 240, maxBitrateBps: 600_000 }], cores: 1 } as const;

let source: TrackConfig;
/** Two complete segments of 2 s and a part of a third, as output by a publisher's packager. */
let events: PackagedEvent[];

beforeAll(async () => {
  const args = ['-nostdin', '-v', 'error', ...PICTURES, ...CODEC, '-f', 'mpegts', '-'];
  const { stdout } = await promisify(execFile)('ffmpeg', args, { encoding: 'buffer', maxBuffer: 2 ** 24 });
  const sent = new TsDemuxer().push(stdout).events;
  const config = sent.find(({ type }) => type === 'config');
  if (config?.type !== 'config') throw new Error('Expected a configuration in the clip.');
  source = config.config;
  const packager = new StreamPackager({ video: source, audio: null }, { segment: 0, endMs: 0 });
  const pushed = sent.flatMap((event) => (event.type === 'unit' ? (packager.push(event.unit)?.events ?? []) : []));
  events = [...pushed, ...packager.end()];
});
afterEach(() => void vi.useRealTimers());

function openLadder() {
  const seen = { segments: [] as number[], gaps: [] as number[], reports: [] as string[] };
  const ladder = new StreamLadder(
    { source, ladder: LADDER, isOpen: false },
    {
      budget: new CoreBudget(1),
      open: async () => true,
      part: () => undefined,
      segment: (_, { segment }) => void seen.segments.push(segment.number),
      gap: (_, segment) => void seen.gaps.push(segment),
      settled: () => undefined,
      report: ({ message }) => void seen.reports.push(message),
    },
  );
  const take = (event: PackagedEvent) => {
    if (event.type === 'cut') ladder.cut(event.segment, Math.round((event.mediaMs * VIDEO_TIMESCALE) / 1000));
    else if (event.type === 'frame') ladder.frame(event.frame);
    else if (event.type === 'end') ladder.end(event.tick);
  };
  return { ladder, seen, take };
}

test('a publisher that disconnects before its encoder starts leaves whole segments and no pending work', async () => {
  const { ladder, seen, take } = openLadder();
  for (const event of events) take(event);
  expect(ladder.isIdle).toBe(false);
  await ladder.settled();
  expect(ladder.isIdle).toBe(true);
  // All input arrived in one turn of the event loop, so after the first segment the encoder lags too far behind to
  // encode more.
  expect(seen).toEqual({ segments: [0], gaps: [1, 2], reports: [] });
});

test('stops a hung encoder at a cut when it accepts no more input', async () => {
  const { ladder, seen, take } = openLadder();
  vi.useFakeTimers({ toFake: ['Date'] });
  const secondCut = events.findIndex((event) => event.type === 'cut' && event.segment === 1);
  for (const event of events.slice(0, secondCut)) take(event);
  // There is no output yet, because the event loop has not run.
  vi.setSystemTime(Date.now() + 11_000);
  for (const event of events.slice(secondCut, secondCut + 2)) take(event);
  await expect.poll(() => seen.reports, { timeout: 30_000 }).toEqual([expect.stringContaining('The encoder hangs.')]);
  expect(ladder.state.kind).toBe('copy-only');
});
