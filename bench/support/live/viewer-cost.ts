import { setTimeout as sleep } from 'node:timers/promises';
import type { CpuGroup } from '../cpu-group.ts';
import type { Measurement } from '../report.ts';
import { type BenchPlace, goLive, mediaPlaylists, untilFlowing } from './bench-streams.ts';
import { startLoad } from './load-tool.ts';
import { countCpu } from './stream-cost.ts';

const COUNT_MS = 15_000;
/** Bitrate of the clip, including audio, in bits per second. */
const CLIP_BPS = 2_600_000;
/** Minimum fraction of the bytes that all viewers together should receive. */
const MIN_RECEIVED = 0.8;

/**
 * Measures the CPU time for viewers of video and audio, excluding that of the stream itself. Viewers of the service use
 * parts and blocking reloads, viewers of the baseline are plain players. The time is measured for the edge alone, and
 * for all processes on both sides.
 */
export async function measureViewers(place: BenchPlace, count: number): Promise<Measurement[]> {
  const { service, nginx, scope, groups } = place;
  const stream = await goLive(place);
  const publishers = await startLoad(scope, 'publish-many.ts', [place.clip, stream.ingest, `${nginx.rtmp}/viewed`]);
  await untilFlowing(stream);
  await sleep(4_000);
  const measure = (group: CpuGroup, pid: number, asked: readonly string[]) =>
    watch(place, { group, pid, count, asked: [asked[0] ?? '', `${count}`, ...asked.slice(1)] });
  const ours = await measure(groups.ours, service.pid, ['low-latency', ...(await mediaPlaylists(stream.base))]);
  const baseline = await measure(groups.baseline, nginx.pid, ['plain', `${nginx.http}/viewed.m3u8`]);
  await publishers.stop();
  await stream.remove();
  const perCore = { unit: 'viewers', isFloor: true, isAbsolute: true };
  return [
    {
      ...{
        name: `low-latency viewers per edge core, from ${count}`,
        ours: count / (ours.by.edge ?? 0),
        baseline: null,
      },
      ...{ ...perCore, bar: 500 },
    },
    {
      ...{ name: 'viewers per core of all processes (baseline: plain)', ours: count / ours.added },
      ...{ baseline: count / baseline.added, ...perCore, bar: null },
    },
  ];
}

type Watching = { group: CpuGroup; pid: number; count: number; asked: readonly string[] };

async function watch({ scope }: BenchPlace, { group, pid, count, asked }: Watching) {
  const alone = await countCpu(group, pid, COUNT_MS / 3);
  const viewers = await startLoad(scope, 'view-many.ts', asked);
  await sleep(3_000);
  const [bytesBefore, startedMs] = [Number(viewers.read()), performance.now()];
  const busy = await countCpu(group, pid, COUNT_MS);
  const bps = ((Number(viewers.read()) - bytesBefore) * 8 * 1_000) / (performance.now() - startedMs);
  await viewers.stop();
  const least = count * CLIP_BPS * MIN_RECEIVED;
  if (bps < least) throw new Error(`Expected ${count} viewers to receive ${least} bit/s in total, got ${bps}.`);
  return { by: busy.by, added: busy.cores - alone.cores };
}
