import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { runJoinClock } from '../../media/encode/run-join-clock.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { LocalSource, SourceCache } from './source-cache.ts';

/**
 * Minimum assumed byte rate of a source. The duration of a source whose clock jumps is unknown in advance, so the time
 * limit depends on its size.
 */
const MIN_BYTES_PER_SEC = 10_000;

/**
 * Opens an original for a task that reads it, according to its facts: the file itself, or a repaired copy with
 * continuous timestamps, or a copy without the bytes before the media. Every worker makes an identical copy.
 */
export async function openPlanned(
  sources: SourceCache,
  { sourceKey, facts }: { sourceKey: StorageKey; facts: SourceFacts },
  signal: AbortSignal,
): Promise<LocalSource> {
  if (facts.isJoined === true) return openJoined(sources, sourceKey, signal);
  if (facts.leadBytes !== undefined) return openWithoutLead(sources, { sourceKey, start: facts.leadBytes }, signal);
  return sources.open(sourceKey, signal);
}

function openJoined(sources: SourceCache, key: StorageKey, signal: AbortSignal): Promise<LocalSource> {
  const make = async (path: string, unread: AbortSignal) => {
    const { size } = await stat(path);
    return { sizeBytes: size, body: await runJoinClock(path, size / MIN_BYTES_PER_SEC, unread) };
  };
  return sources.openMade(key, { name: 'joined', make }, signal);
}

function openWithoutLead(
  sources: SourceCache,
  { sourceKey, start }: { sourceKey: StorageKey; start: number },
  signal: AbortSignal,
): Promise<LocalSource> {
  const make = async (path: string, unread: AbortSignal) => {
    const { size } = await stat(path);
    return { sizeBytes: size - start, body: createReadStream(path, { start, signal: unread }) };
  };
  return sources.openMade(sourceKey, { name: 'without-lead', make }, signal);
}
