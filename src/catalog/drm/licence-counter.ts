import type { Guid } from '../../lib/guid.ts';
import type { LicenceProxy } from '../../ports/licence-proxy.ts';

const FLUSH_MS = 1_000;
/** Maximum number of videos with unwritten counts. Licences of other videos are not counted. */
const MAX_VIDEOS = 10_000;

export type LicenceCounterDeps = {
  write(given: ReadonlyMap<Guid, number>): Promise<void>;
  onError(error: unknown): void;
};

/**
 * Wraps a licence proxy and counts each licence that it issues. Writes the counts once a second, so that a busy video
 * costs one row. Keeps counts that could not be written for the next attempt. `close` writes the remaining counts.
 */
export function createLicenceCounter(
  proxy: LicenceProxy,
  { write, onError }: LicenceCounterDeps,
): { licences: LicenceProxy; close(): Promise<void> } {
  const given = new Map<Guid, number>();
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();
  const add = (mediaId: Guid, count: number) => {
    if (given.size >= MAX_VIDEOS && !given.has(mediaId)) return;
    given.set(mediaId, (given.get(mediaId) ?? 0) + count);
    timer ??= setTimeout(flush, FLUSH_MS).unref();
  };
  const flush = () => {
    timer = null;
    const batch = new Map(given);
    given.clear();
    writing = writing
      .then(() => write(batch))
      .catch((error: unknown) => {
        for (const [mediaId, count] of batch) add(mediaId, count);
        onError(error);
      });
  };
  return {
    licences: {
      ...proxy,
      async request(system, requested, signal) {
        const licence = await proxy.request(system, requested, signal);
        add(requested.mediaId, 1);
        return licence;
      },
    },
    async close() {
      if (timer !== null) clearTimeout(timer);
      if (given.size > 0) flush();
      await writing;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
