import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { LeaseLost } from '../../catalog/leases/lease-lost.ts';
import { loadJoinedSource } from '../../catalog/live/recording/recorded-view-store.ts';
import type { JoinedPlan } from '../../catalog/rendition-plan.ts';
import { loadCutList, type TaskRendition } from '../../catalog/tasks/task-view-store.ts';
import type { Guid } from '../../lib/guid.ts';
import { countAudioSamples } from '../../media/cmaf/audio-grid.ts';
import { planPlacedAudioEncode } from '../../media/encode/encode-audio.ts';
import { decodePlaced, readSilence } from '../../media/encode/run-mended-audio.ts';
import { runFfmpeg } from '../../media/ffmpeg/run-ffmpeg.ts';
import { probeSource } from '../../media/probe/run-probe.ts';
import { type CutList, segmentStartTicks } from '../../media/timeline/cut-list.ts';
import type { JobDeps } from '../job-deps.ts';
import type { HeldTask } from '../queue/run-task.ts';
import { readSourceSegment, sourceGone } from './copy-source-segment.ts';
import { publishTrack } from './publish-track.ts';
import { readAudio } from './read-audio.ts';
import { reportLoss } from './report-loss.ts';

const NICENESS = 10;
/** Assumed bitrate of published audio in bits per second. It is only used to estimate the required disk space. */
const GUESSED_BPS = 192_000;

/**
 * Encodes the audio of all periods of a recording as one track. Each period is decoded and placed at its samples, with
 * silence where it has no audio, so that no period moves another one. Only one period is on the disk at a time.
 */
export async function encodeJoinedTrack(
  held: HeldTask,
  rendition: TaskRendition,
  deps: JobDeps,
  signal: AbortSignal,
): Promise<void> {
  const cutList = await loadCutList(deps.db, held.claim.task);
  const { joined, durationSec } = rendition.plan;
  if (cutList === null || joined === undefined) throw new LeaseLost();
  const ended = new AbortController();
  const running = AbortSignal.any([signal, ended.signal]);
  const account = { lostSec: 0 };
  const input = Readable.from(readPeriods({ held, cutList, joined, account }, deps, running), { objectMode: false });
  const options = { sourcePath: null, input, niceness: NICENESS };
  try {
    const run = await runFfmpeg(planPlacedAudioEncode({ durationSec, gainDb: 0 }), options, running);
    try {
      await publishTrack({ held, deps, rendition, run, parts: readAudio(run), atEnd: () => Promise.resolve() }, signal);
      await reportLoss(deps, held.claim.task.key, { lostSec: account.lostSec, durationSec });
    } finally {
      ended.abort();
      for (const output of run.outputs) output.destroy();
      await run.done.catch(() => undefined);
    }
  } finally {
    ended.abort();
    input.destroy();
  }
}

type Periods = { held: HeldTask; cutList: CutList; joined: JoinedPlan; account: { lostSec: number } };

/** Yields the samples of all periods. */
async function* readPeriods(
  { held, cutList, joined, account }: Periods,
  deps: JobDeps,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let [segment, sample] = [0, 0];
  for (const { sourceId, segments } of joined.parts) {
    segment += segments;
    const endSample = countAudioSamples(segmentStartTicks(cutList, segment) / cutList.timescale);
    const period = { held, sourceId, segments, samples: endSample - sample };
    if (sourceId === null) yield* readSilence(period.samples);
    else account.lostSec += yield* readPeriod({ ...period, sourceId }, deps, signal);
    sample = endSample;
  }
}

type Period = { held: HeldTask; sourceId: Guid; segments: number; samples: number };

/** Yields the samples of a period. Returns the silence that replaces lost audio, in seconds. */
async function* readPeriod(period: Period, deps: JobDeps, signal: AbortSignal): AsyncGenerator<Buffer, number> {
  const { samples, sourceId } = period;
  const made = async (unread: AbortSignal) => {
    const sizeBytes = ((samples / countAudioSamples(1)) * GUESSED_BPS) / 8;
    return { sizeBytes, body: Readable.from(readSegments(period, deps, unread), { objectMode: false }) };
  };
  const local = await deps.sources.openBuilt(`${sourceId}-${period.segments}`, made, signal);
  try {
    const facts = await probeSource(local.path, (await stat(local.path)).size, signal);
    if ('kind' in facts) throw new Error(facts.message);
    const [track] = facts.audio;
    if (track === undefined) throw new Error(`Expected audio in rendition ${sourceId}, found none.`);
    return yield* decodePlaced(track, { sourcePath: local.path, samples, niceness: NICENESS }, signal);
  } finally {
    await local.release();
  }
}

/**
 * Reads the stored segments of a period's audio, which have the times of the period. There are none where the publisher
 * sent no audio. Throws if the rendition no longer exists.
 */
async function* readSegments(
  { held, sourceId, segments }: Period,
  deps: JobDeps,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const source = await loadJoinedSource(deps.db, held.claim.task.key, sourceId);
  if (source === undefined) throw sourceGone(sourceId);
  yield source.init;
  for (let number = 0; number < segments; number += 1) {
    const found = await readSourceSegment(sourceId, number, deps, signal);
    if (found !== null) yield found.bytes;
    else if ((await loadJoinedSource(deps.db, held.claim.task.key, sourceId)) === undefined) throw sourceGone(sourceId);
  }
}
