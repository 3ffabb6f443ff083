import { stat } from 'node:fs/promises';
import type { MediaKey } from '../../catalog/db.ts';
import { LeaseLost } from '../../catalog/leases/lease-lost.ts';
import { saveLoudness } from '../../catalog/renditions/loudness-store.ts';
import type { EncodeTask } from '../../catalog/tasks/encode-task.ts';
import { loadTaskRenditions, loadTaskView, type TaskRendition } from '../../catalog/tasks/task-view-store.ts';
import { type AudioJob, planAudioCopy, planAudioEncode } from '../../media/encode/encode-audio.ts';
import { timelineOriginSec } from '../../media/encode/encode-filters.ts';
import { gainFor, type Loudness, readLoudness } from '../../media/encode/loudness.ts';
import { type MendedAudio, runMendedAudio } from '../../media/encode/run-mended-audio.ts';
import { type FfmpegOptions, type FfmpegRun, runFfmpeg } from '../../media/ffmpeg/run-ffmpeg.ts';
import { probeSource } from '../../media/probe/run-probe.ts';
import type { AudioFacts } from '../../media/probe/source-facts.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { JobDeps } from '../job-deps.ts';
import { type HeldTask, throughPause } from '../queue/run-task.ts';
import { encodeJoinedTrack } from './encode-joined-track.ts';
import { openPlanned } from './open-planned.ts';
import { publishTrack } from './publish-track.ts';
import { readAudio, readCopiedAudio } from './read-audio.ts';
import { reportLoss } from './report-loss.ts';
import type { LocalSource } from './source-cache.ts';

/**
 * Encodes a range of an audio track and publishes it in growing chunks. The encoder always begins at the start of the
 * track, so that ranges join seamlessly. Also joins the audio of a recording's periods.
 */
export async function encodeTrack(held: HeldTask, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const { task } = held.claim;
  const [joined] = await loadTaskRenditions(deps.db, task);
  if (joined?.plan.joined !== undefined) return await encodeJoinedTrack(held, joined, deps, signal);
  const { rendition, source, track, originSec } = await openTrack(deps, task, signal);
  const ended = new AbortController();
  try {
    const niceness = task.queue === 'long' ? 10 : 0;
    const { durationSec, form } = rendition.plan;
    const options = { sourcePath: source.local.path, sourceDurationSec: source.durationSec, niceness };
    const wanted = { track, audio: { durationSec, originSec, form } };
    // After a failure, assume that the source is damaged.
    const isMended = held.claim.failures > 0;
    const gainDb = await chooseGain({ wanted, isMended, options, rendition, key: task.key }, deps, signal);
    const isCopied = rendition.plan.copiesAudio === true && !isMended && (gainDb ?? 0) === 0;
    const start = isMended ? runMendedAudio : isCopied ? runCopiedAudio : runWholeAudio;
    const begun = { track, audio: { ...wanted.audio, ...(gainDb !== null && { gainDb }) } };
    const { run, lostSec } = await start(begun, options, AbortSignal.any([signal, ended.signal]));
    try {
      const parts = isCopied ? readCopiedAudio(run, wanted.audio) : readAudio(run);
      const atEnd = async () => {
        if (gainDb === null) await keepLoudness(run, { key: task.key, rendition }, deps);
      };
      await publishTrack({ held, deps, rendition, run, parts, atEnd }, signal);
      await reportLoss(deps, task.key, { lostSec: lostSec(), durationSec });
    } finally {
      // A range may end before the encoder does.
      ended.abort();
      for (const output of run.outputs) output.destroy();
      await run.done.catch(() => undefined);
    }
  } finally {
    await source.local.release();
  }
}

/** An audio track and the file that contains it. `originSec` is the time in the file at which the timeline begins. */
type OpenTrack = {
  rendition: TaskRendition;
  source: { local: LocalSource; durationSec: number };
  track: AudioFacts;
  originSec: number;
};

async function openTrack(deps: JobDeps, task: EncodeTask, signal: AbortSignal): Promise<OpenTrack> {
  const [rendition] = await loadTaskRenditions(deps.db, task);
  if (rendition === undefined) throw new LeaseLost();
  if (rendition.plan.added !== undefined) return openAdded({ rendition, ...rendition.plan.added }, deps, signal);
  const view = await loadTaskView(deps.db, task);
  if (view === null) throw new LeaseLost();
  const track = view.facts.audio.find(({ streamIndex }) => streamIndex === rendition.plan.streamIndex);
  if (track === undefined) throw new Error(`Expected audio in stream ${rendition.plan.streamIndex}, found none.`);
  const local = await openPlanned(deps.sources, view, signal);
  const originSec = timelineOriginSec(view.facts, view.cutList.grid.kind);
  return { rendition, source: { local, durationSec: view.facts.durationSec }, track, originSec };
}

/** Opens the first audio stream of an added file. The file is probed here, because it is not used for anything else. */
async function openAdded(
  { rendition, sourceKey }: { rendition: TaskRendition; sourceKey: StorageKey },
  { sources }: JobDeps,
  signal: AbortSignal,
): Promise<OpenTrack> {
  const stored = await sources.open(sourceKey, signal);
  try {
    const facts = await probeSource(stored.path, (await stat(stored.path)).size, signal);
    if ('kind' in facts) throw new Error(facts.message);
    const [track] = facts.audio;
    if (track === undefined) throw new Error('Expected a file with audio, found none that can be decoded.');
    const local = await openPlanned(sources, { sourceKey, facts }, signal);
    const durationSec = Math.max(facts.durationSec, rendition.plan.durationSec);
    return { rendition, source: { local, durationSec }, track, originSec: facts.startSec };
  } finally {
    await stored.release();
  }
}

type Wanted = { track: AudioFacts; audio: AudioJob };
type KeptFor = { key: MediaKey; rendition: TaskRendition };

/**
 * Returns the gain of a track in dB. A track to be normalised is measured first, unless it was measured before. The
 * gain of other tracks is 0. Returns null for a track that is not normalised and not measured yet: the encode measures
 * it.
 */
async function chooseGain(
  {
    wanted,
    isMended,
    options,
    ...kept
  }: KeptFor & {
    wanted: Wanted;
    isMended: boolean;
    options: FfmpegOptions & { sourcePath: string };
  },
  deps: JobDeps,
  signal: AbortSignal,
): Promise<number | null> {
  const { loudness, plan } = kept.rendition;
  const targetLufs = plan.loudnessTargetLufs;
  if (targetLufs === undefined) return loudness === null ? null : 0;
  if (loudness !== null) return gainFor(loudness, targetLufs);
  const measure = isMended ? runMendedAudio : runWholeAudio;
  const { run } = await measure({ ...wanted, audio: { ...wanted.audio, isMeasured: true } }, options, signal);
  const measured = await keepLoudness(run, kept, deps);
  return measured === null ? 0 : gainFor(measured, targetLufs);
}

async function keepLoudness(run: FfmpegRun, { key, rendition }: KeptFor, deps: JobDeps): Promise<Loudness | null> {
  const loudness = readLoudness((await run.done).messages);
  if (loudness !== null) await throughPause(() => saveLoudness(deps.db, key, rendition.id, loudness));
  return loudness;
}

async function runWholeAudio(
  { track, audio }: Wanted,
  options: FfmpegOptions,
  signal: AbortSignal,
): Promise<MendedAudio> {
  const run = await runFfmpeg(planAudioEncode(track, audio), options, signal);
  return { run, lostSec: () => 0 };
}

async function runCopiedAudio(
  { track, audio }: Wanted,
  options: FfmpegOptions,
  signal: AbortSignal,
): Promise<MendedAudio> {
  const run = await runFfmpeg(planAudioCopy(track, audio), options, signal);
  return { run, lostSec: () => 0 };
}
