import { buildInit } from '../../../src/media/pass-through/build-init.ts';
import type { Mp4Index } from '../../../src/media/pass-through/mp4-index.ts';
import {
  type PassThroughAnswer,
  type PassThroughPlan,
  planPassThrough,
} from '../../../src/media/pass-through/plan-pass-through.ts';
import { readCutHeads } from '../../../src/media/pass-through/read-cut-heads.ts';
import { type RangeSource, readMp4Index } from '../../../src/media/pass-through/read-mp4-index.ts';
import { buildSegment } from '../../../src/media/pass-through/write-segment.ts';
import { BT709 } from '../../../src/media/probe/colours.ts';
import { openSource, probeFacts } from './run-test-clips.ts';

const RUNG_CAP_BPS = 5_000_000;

export type Trial = { index: Mp4Index; answer: PassThroughAnswer };

/** Returns index, heads, facts and plan of a file. Throws the reason if a file has no index. */
export async function tryPassThrough(path: string, rungCapBps = RUNG_CAP_BPS): Promise<Trial> {
  const { signal } = new AbortController();
  const source = await openSource(path);
  try {
    const read = await readMp4Index(source, signal);
    if (read.kind === 'refused') throw new Error(`${read.reason}: ${read.message}`);
    const heads = await readCutHeads(read.index, source, signal);
    return { index: read.index, answer: planPassThrough(read.index, await probeFacts(path), heads, rungCapBps) };
  } finally {
    await source.close();
  }
}

/** Returns the plan of a file that must pass through, permanently or temporarily. */
export async function planOf(path: string): Promise<{ index: Mp4Index; plan: PassThroughPlan }> {
  const { index, answer } = await tryPassThrough(path);
  if (answer.kind === 'refused') throw new Error(`${answer.reason}: ${answer.message}`);
  return { index, plan: answer.plan };
}

/** Writes the init segment and every segment with its payload. */
export async function writeAll(path: string): Promise<{ init: Buffer; segments: Buffer[] }> {
  const { index, plan } = await planOf(path);
  const source = await openSource(path);
  try {
    const segments: Buffer[] = [];
    for (const number of plan.segments.keys()) segments.push(await writeSegment(index, plan, { number, source }));
    return { init: buildInit(index, plan, { ...BT709, matrix: 6 }), segments };
  } finally {
    await source.close();
  }
}

type SegmentFrom = { number: number; source: RangeSource };

async function writeSegment(index: Mp4Index, plan: PassThroughPlan, { number, source }: SegmentFrom): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (const { prefix, runs } of buildSegment(index, plan, number).fragments) {
    parts.push(prefix);
    for (const run of runs) parts.push(await source.readRange(run.offset, run.length));
  }
  return Buffer.concat(parts);
}
