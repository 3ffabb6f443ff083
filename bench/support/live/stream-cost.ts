import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CpuGroup } from '../cpu-group.ts';
import { argvOf, cpuTicks, listTree, programOf, pssBytes } from '../process-tree.ts';
import { type Measurement, say } from '../report.ts';
import { type BenchPlace, countStored, goLive, untilFlowing } from './bench-streams.ts';
import { startLoad } from './load-tool.ts';

const COUNT_MS = 15_000;
const SEGMENT_MS = 2_000;
/** Minimum number of segments within the measured time: one may be late, and one may arrive after it. */
const MIN_SEGMENTS = COUNT_MS / SEGMENT_MS - 2;
const TICKS_PER_SEC = 100;
const MIB = 2 ** 20;

/** Measures the CPU and memory that streams add to an idle service, database included. */
export async function measureStreams(place: BenchPlace, count: number): Promise<Measurement[]> {
  const { service, nginx, groups } = place;
  const streams = await Promise.all(Array.from({ length: count }, () => goLive(place)));
  const own = await loadWith(place, {
    ...{ group: groups.ours, pid: service.pid, addresses: streams.map(({ ingest }) => ingest) },
    async listen() {
      // If the last stream has started, all streams have started.
      for (const stream of streams.slice(-1)) await untilFlowing(stream);
      await sleep(2 * SEGMENT_MS);
    },
    async countSegments() {
      const stored = await countStored(
        place,
        streams.map(({ id }) => id),
      );
      return streams.map(({ id }) => stored.get(id) ?? 0);
    },
  });
  for (const stream of streams) await stream.remove();
  const names = streams.map((_, index) => `many-${index}`);
  const other = await loadWith(place, {
    ...{ group: groups.baseline, pid: nginx.pid, addresses: names.map((name) => `${nginx.rtmp}/${name}`) },
    listen: () => sleep(3_000 + 2 * SEGMENT_MS),
    countSegments: async () => names.map((name) => countListed(path.join(nginx.folder, `${name}.m3u8`))),
  });
  const parts = Object.entries(own.cpuBy).map(([name, cores]) => `${name} ${((cores * 100) / count).toFixed(2)} %`);
  say(`Of a core a stream: ${parts.join(', ')}.`);
  const perCore = { ours: count / own.cores, baseline: count / other.cores, unit: 'streams' };
  const memory = { ours: own.bytes / MIB / count, baseline: other.bytes / MIB / count, unit: 'MiB' };
  return [
    { name: `copy-only streams per core, from ${count}`, ...perCore, bar: 100, isFloor: true, isAbsolute: true },
    { name: 'memory a stream, database included', ...memory, bar: 4, isAbsolute: true },
  ];
}

/** Returns the number of segments that a playlist of nginx has listed so far. */
function countListed(file: string): number {
  const text = readFileSync(file, 'utf8');
  return Number(/#EXT-X-MEDIA-SEQUENCE:(\d+)/.exec(text)?.[1] ?? 0) + (text.match(/^#EXTINF/gm)?.length ?? 0);
}

type Load = {
  group: CpuGroup;
  pid: number;
  addresses: readonly string[];
  listen(): Promise<unknown>;
  /** Returns the number of segments so far, by stream. */
  countSegments(): Promise<readonly number[]>;
};

async function loadWith({ scope, clip }: BenchPlace, { group, pid, addresses, listen, countSegments }: Load) {
  const idle = await countCpu(group, pid, COUNT_MS / 3);
  const bytesBefore = memoryOf(pid);
  const load = await startLoad(scope, 'publish-many.ts', [clip, ...addresses]);
  await listen();
  const before = await countSegments();
  const busy = await countCpu(group, pid, COUNT_MS);
  const bytes = memoryOf(pid) - bytesBefore;
  const grown = (await countSegments()).map((segments, index) => segments - (before[index] ?? 0));
  await load.stop();
  const least = Math.min(...grown);
  if (least < MIN_SEGMENTS) {
    throw new Error(`Expected ${MIN_SEGMENTS} segments of each stream within ${COUNT_MS} ms, got ${least} of one.`);
  }
  const cpuBy = Object.fromEntries(
    Object.entries(busy.by).map(([name, cores]) => [name, cores - (idle.by[name] ?? 0)]),
  );
  return { cores: busy.cores - idle.cores, cpuBy, bytes };
}

function memoryOf(pid: number): number {
  return listTree(pid).reduce((sum, one) => sum + pssBytes(one), 0);
}

/** Returns the cores that a group used during a period, and how many of them each long-lived program used. */
export async function countCpu(group: Pick<CpuGroup, 'usedSec'>, pid: number, forMs: number) {
  // Read the names first, because some processes exit during the measurement.
  const before = listTree(pid).map((one) => ({ one, name: nameOf(one), ticks: cpuTicks(one) }));
  const usedBefore = group.usedSec();
  const startedMs = performance.now();
  await sleep(forMs);
  const sec = (performance.now() - startedMs) / 1000;
  const by: Record<string, number> = {};
  for (const { one, name, ticks } of before) {
    by[name] = (by[name] ?? 0) + Math.max(0, cpuTicks(one) - ticks) / TICKS_PER_SEC / sec;
  }
  return { cores: (group.usedSec() - usedBefore) / sec, by };
}

/**
 * Returns the role of a process of the service, or the program of any other process. Returns an empty string if the
 * process has exited.
 */
export function nameOf(pid: number): string {
  const words = argvOf(pid);
  const role = words.findIndex((word) => word.endsWith('role.ts'));
  return role === -1 ? programOf(pid) : (words[role + 1] ?? '');
}
