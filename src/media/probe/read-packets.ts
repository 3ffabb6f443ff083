import { createInterface } from 'node:readline';
import type { ChildEnd } from '../ffmpeg/run-child.ts';
import { startSandboxed } from '../ffmpeg/run-sandboxed.ts';
import { createGridMeter, type GridMeter } from './grid-meter.ts';
import { type ClockScan, isJump, LEAP_SEC } from './judge-clock.ts';
import type { PacketSpan } from './parse-probe.ts';
import { planFfprobe } from './plan-ffprobe.ts';

/** Properties of one stream's packets, by stream index in a scan. */
export type ScannedSpan = PacketSpan & ClockScan & { jumps: number };
export type Scan = { spans: ReadonlyMap<number, ScannedSpan>; end: ChildEnd };

type Gathering = Omit<ScannedSpan, 'firstSec' | 'endSec' | 'grids'> & {
  times: Times | null;
  meter: GridMeter;
  decodeSec: number | null;
};
type Times = { firstSec: number; endSec: number; lastSec: number };

/**
 * Reads all packet times, or the times from the keyframe before `fromSec` on. Decodes nothing and uses bounded memory.
 * Omits streams without packet times.
 */
export async function scanPackets(path: string, fromSec: number | null, signal: AbortSignal): Promise<Scan> {
  const interval = fromSec === null ? [] : ['-read_intervals', `${fromSec.toFixed(3)}%`];
  const shown = ['-show_entries', 'packet=stream_index,pts_time,dts_time,duration_time', '-of', 'compact=p=0'];
  const child = await startSandboxed(planFfprobe(path, [...interval, ...shown], 'warning'), signal);
  const gathered = new Map<number, Gathering>();
  for await (const line of createInterface({ input: child.stdout })) addPacket(gathered, line);
  const end = await child.ended;
  signal.throwIfAborted();
  return { spans: new Map([...gathered].flatMap(toSpan)), end };
}

/** Returns the end of the latest stream, in seconds of the source's clock. */
export function reachSec(spans: ReadonlyMap<number, PacketSpan>): number {
  return Math.max(Number.NEGATIVE_INFINITY, ...[...spans.values()].map((span) => span.endSec));
}

function toSpan([index, { times, meter, decodeSec: _, ...counts }]: [number, Gathering]): [number, ScannedSpan][] {
  if (times === null) return [];
  const { firstSec, endSec } = times;
  return [[index, { ...counts, firstSec, endSec, grids: meter.fitting() }]];
}

function createGathering(): Gathering {
  return { packets: 0, leaps: 0, leapSec: 0, jumps: 0, times: null, meter: createGridMeter(), decodeSec: null };
}

function addPacket(gathered: Map<number, Gathering>, line: string): void {
  const match = /^stream_index=(\d+)\|pts_time=([^|]*)\|dts_time=([^|]*)\|duration_time=([^|]*)/.exec(line);
  if (match === null) return;
  const [index, pts, dts, duration] = match.slice(1).map(Number);
  if (index === undefined) return;
  const span = gathered.get(index) ?? createGathering();
  gathered.set(index, span);
  // Ogg only has times on some packets, so count all packets.
  span.packets += 1;
  const atSec = pts !== undefined && Number.isFinite(pts) ? pts : dts;
  if (atSec === undefined || !Number.isFinite(atSec)) return;
  span.meter.add(atSec);
  if (dts !== undefined && Number.isFinite(dts)) {
    if (span.decodeSec !== null && isJump(span.decodeSec, dts)) span.jumps += 1;
    span.decodeSec = dts;
  }
  const endSec = atSec + (duration !== undefined && Number.isFinite(duration) ? duration : 0);
  if (span.times === null) {
    span.times = { firstSec: atSec, endSec, lastSec: endSec };
    return;
  }
  const { firstSec, lastSec, endSec: latestSec } = span.times;
  const stepSec = Math.abs(atSec - lastSec);
  if (stepSec > LEAP_SEC) {
    span.leaps += 1;
    span.leapSec += stepSec;
  }
  span.times = { firstSec: Math.min(firstSec, atSec), endSec: Math.max(latestSec, endSec), lastSec: endSec };
}
