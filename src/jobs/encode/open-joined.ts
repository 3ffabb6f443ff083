import { stat } from 'node:fs/promises';
import { runJoinClock } from '../../media/encode/run-join-clock.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { LocalSource, SourceCache } from './source-cache.ts';

/**
 * Opens an original as all that is made of it reads it, as its facts say: in place, or as a copy of it whose clock was joined.
 * Every worker makes the same copy.
 */
export async function openPlanned(
  sources: SourceCache,
  { sourceKey, facts }: { sourceKey: StorageKey; facts: SourceFacts },
  signal: AbortSignal,
): Promise<LocalSource> {
  return facts.isJoined === true ? openJoined(sources, sourceKey, signal) : sources.open(sourceKey, signal);
}

/** How long a source is whose clock jumps is known only afterwards: the bound on time goes by its size. */
const LEAST_BYTES_PER_SEC = 10_000;

/** Opens a copy of an original whose clock was joined. */
export function openJoined(sources: SourceCache, key: StorageKey, signal: AbortSignal): Promise<LocalSource> {
  const make = async (path: string, unread: AbortSignal) => {
    const { size } = await stat(path);
    return { sizeBytes: size, body: await runJoinClock(path, size / LEAST_BYTES_PER_SEC, unread) };
  };
  return sources.openMade(key, { name: 'joined', make }, signal);
}
