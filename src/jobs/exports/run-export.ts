import { setTimeout as sleep } from 'node:timers/promises';
import type { FollowUp } from '../../catalog/db.ts';
import {
  endExport,
  findRunning,
  listVideosAfter,
  noteTransfer,
  type OpenExport,
  openExport,
  passExportOn,
  saveStep,
} from '../../catalog/exports/export-work-store.ts';
import type { ExportOutcome, ExportProblem, ExportTick } from '../../catalog/exports/library-export.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import type { Guid } from '../../lib/guid.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { Refused } from '../../lib/refused.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob } from '../queue/define-job.ts';
import { type ExportWriter, openExportWriter } from './export-writer.ts';
import type { ExportLibrary } from './exporter.ts';
import { DownloadFailed } from './transfer-fault.ts';
import { WorkerSource } from './worker-source.ts';

/** Time after which a run ends. Its successor continues, so that exports of other libraries get their turn. */
const RUN_MS = 300_000;
/** Time after which checksums and outcomes are saved. Later videos are compared again after a failure. */
const SAVE_MS = 10_000;
/** Interval at which progress is noted, and a cancelled export is noticed, in ms. */
const NOTE_MS = 1_000;
/** Maximum number of consecutive runs without a response of the destination, about an hour. */
const MAX_FAILURES = 20;
const FIRST_PAUSE_SEC = 5;
const MAX_PAUSE_SEC = 300;

/**
 * Performs an export: writes the videos by ascending id. Saves checksums and outcomes about every ten seconds, while
 * no transfer runs. A crash repeats only what was not saved. Each run sends its successor with the next tick,
 * which fences this one.
 */
export const runExport = defineJob<ExportTick, JobDeps>({
  name: 'run-export',
  queue: 'export',
  retryLimit: 20,
  async run({ libraryId, exportId, tick }, deps, signal) {
    const opened = await openExport(deps.db, { libraryId, exportId, tick }, deps.secretBox);
    if (opened === null) return;
    const passed = new AbortController();
    const ending = AbortSignal.any([signal, passed.signal]);
    try {
      await advance(opened, { deps, stop: () => passed.abort() }, ending);
    } catch (error) {
      // The export was cancelled or passed on.
      if (passed.signal.aborted) return;
      if (signal.aborted || !isTransient(error)) throw error;
      if (opened.failures >= MAX_FAILURES) throw new Refused('invalid', error.message, { cause: error });
      const delaySec = Math.min(MAX_PAUSE_SEC, FIRST_PAUSE_SEC * 2 ** opened.failures);
      const send = (to: ExportTick) => sendExport(deps.queue, to, delaySec);
      await passExportOn(deps.db, opened, { reason: error.message, isFailure: true, send });
    }
  },
  async giveUp({ libraryId, exportId, tick }, { db }, reason) {
    const isEnded = await endExport(db, { libraryId, exportId, tick }, { state: 'failed', reason });
    if (isEnded) logEvent('export.ended', { libraryId, exportId, state: 'failed', reason });
  },
});

/** Sends the job of a tick. Does nothing while this job is waiting or running. */
export function sendExport(queue: JobDeps['queue'], { libraryId, exportId, tick }: ExportTick, delaySec = 0): FollowUp {
  return queue.send(runExport, { libraryId, exportId, tick }, { delaySec, onlyOneNamed: `${exportId} ${tick}` });
}

/** Sends the jobs of running exports again, because a restored backup has none. */
export async function resendExports({ db, queue }: JobDeps): Promise<void> {
  const ticks = await findRunning(db);
  await inTransaction(db, async (tx) => {
    for (const tick of ticks) await sendExport(queue, tick)(tx);
  });
}

/** Returns whether another attempt may succeed. */
function isTransient(error: unknown): error is Refused {
  return error instanceof Refused && (error.kind === 'unavailable' || error.kind === 'timeout');
}

type Parts = { deps: JobDeps; stop: () => void };

async function advance(opened: OpenExport, { deps, stop }: Parts, signal: AbortSignal): Promise<void> {
  const { exporter } = deps;
  if (exporter === undefined) throw new Error('Expected a worker that runs exports, got one without an exporter.');
  const library = await exporter.openLibrary(opened.libraryId);
  const source = new WorkerSource(library, opened, signal);
  const target = await exporter.openTarget(opened.libraryId, opened.destination, signal);
  const noted = new AbortController();
  const noting = noteUntil({ opened, deps, source, stop }, AbortSignal.any([signal, noted.signal]));
  try {
    const writer = await openExportWriter(source, target);
    await writeVideos(opened, { library, source, writer, deps }, signal);
  } finally {
    noted.abort();
    await noting;
    await target.close();
  }
}

type Noting = { opened: OpenExport; deps: JobDeps; source: WorkerSource; stop: () => void };

/** Notes the progress every second, and stops the run if the tick has passed. Ignores failed queries. */
async function noteUntil({ opened, deps, source, stop }: Noting, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const isOurs = await noteTransfer(deps.db, opened, source.progress()).catch(() => true);
    if (!isOurs) return stop();
    await sleep(NOTE_MS, undefined, { signal }).catch(() => undefined);
  }
}

type Writing = { library: ExportLibrary; source: WorkerSource; writer: ExportWriter; deps: JobDeps };

async function writeVideos(opened: OpenExport, writing: Writing, signal: AbortSignal): Promise<void> {
  const { writer, deps } = writing;
  const until = Date.now() + RUN_MS;
  for (let { cursor } = opened; Date.now() < until; ) {
    const step = await writeStep({ ...opened, cursor }, writing, signal);
    if (step === null) {
      await writer.writeCollections();
      await writer.writeSettings();
      await writer.writeStatistics();
      await noteTransfer(deps.db, opened, writing.source.progress());
      const isEnded = await endExport(deps.db, opened, { state: 'finished', reason: null });
      const { libraryId, exportId } = opened;
      if (isEnded) logEvent('export.ended', { libraryId, exportId, state: 'finished' });
      return;
    }
    // Saved first, so that no checksum of a video before the cursor is missing.
    await writer.save();
    signal.throwIfAborted();
    if (!(await saveStep(deps.db, opened, step))) return;
    cursor = step.cursor;
  }
  const send = (to: ExportTick) => sendExport(deps.queue, to);
  await passExportOn(deps.db, opened, { reason: null, isFailure: false, send });
}

type Step = { cursor: Guid; outcomes: ExportOutcome[]; problems: ExportProblem[] };

/** Writes videos until it is time to save. Returns null if none is left. */
async function writeStep(opened: OpenExport, writing: Writing, signal: AbortSignal): Promise<Step | null> {
  const { libraryId, concurrency: limit } = opened;
  const until = Date.now() + SAVE_MS;
  const outcomes: ExportOutcome[] = [];
  const problems: ExportProblem[] = [];
  let { cursor } = opened;
  do {
    const ids = await listVideosAfter(writing.deps.db, libraryId, { cursor, limit });
    if (ids.length === 0) break;
    const ends = await Promise.allSettled(ids.map((id) => writeOne(id, writing)));
    signal.throwIfAborted();
    for (const end of ends) {
      if (end.status === 'rejected') throw end.reason;
      if (end.value === null) continue;
      outcomes.push(typeof end.value === 'string' ? end.value : 'failed');
      if (typeof end.value !== 'string') problems.push(end.value);
    }
    cursor = ids.at(-1) ?? cursor;
  } while (Date.now() < until);
  return cursor === null || cursor === opened.cursor ? null : { cursor, outcomes, problems };
}

/** Returns the outcome of a video, or its problem. Null if it was deleted. */
async function writeOne(id: Guid, { library, source, writer }: Writing): Promise<ExportOutcome | ExportProblem | null> {
  const video = await library.video(id);
  if (video === null) return null;
  const { guid, title } = video;
  source.begin(title);
  try {
    return await writer.writeVideo(video);
  } catch (error) {
    if (!(error instanceof DownloadFailed)) throw error;
    return { guid, title, reason: error.message };
  } finally {
    source.end(title);
  }
}
