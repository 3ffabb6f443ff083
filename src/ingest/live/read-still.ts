import type { Db } from '../../catalog/db.ts';
import type { OpenPeriod } from '../../catalog/live/publishing/period-store.ts';
import { readSourceSegment } from '../../jobs/encode/copy-source-segment.ts';
import { childBoxes, readBoxes, requireBox } from '../../media/bmff/boxes.ts';
import { readStoredFragments } from '../../media/cmaf/stored-fragments.ts';
import type { TrackConfig } from '../../media/live/tracks/access-unit.ts';
import type { Storage } from '../../ports/storage.ts';

/** The video of a stream's last period, and a keyframe of it. */
export type Still = { video: TrackConfig; key: Buffer };

/** Number of the newest segments in which a keyframe is looked for. The last ones may have audio only. */
const SEGMENTS = 3;
/** Maximum wait for the store, in ms, while the media of the publisher is held. */
const MAX_WAIT_MS = 5_000;

/**
 * Reads the first keyframe of the newest stored segment of a period, which is repeated if an encoder returns without
 * video after this process has restarted. Returns null if there is none.
 */
export async function readStill(
  { renditions, nextSegment }: OpenPeriod,
  deps: { db: Db; storage: Storage },
): Promise<Still | null> {
  const rendition = renditions.find(({ kind, origin }) => kind === 'video' && origin !== 'encode');
  if (rendition === undefined) return null;
  const signal = AbortSignal.timeout(MAX_WAIT_MS);
  for (let number = nextSegment - 1; number >= Math.max(0, nextSegment - SEGMENTS); number -= 1) {
    const found = await readSourceSegment(rendition.id, number, deps, signal);
    const [first] = found === null ? [] : readStoredFragments(found.bytes, found.fragments);
    const sample = first?.samples[0];
    if (first === undefined || sample?.isSync !== true) continue;
    const { widthPx, heightPx, timescale } = rendition;
    const shape = { widthPx: widthPx ?? 0, heightPx: heightPx ?? 0, frameRate: 0, frameTicks: 0, silence: null };
    const video: TrackConfig = { kind: 'video', timescale, sampleEntry: readEntry(rendition.init), ...shape };
    return { video, key: Buffer.from(first.payload.subarray(0, sample.sizeBytes)) };
  }
  return null;
}

/** Returns the sample entry of an init segment. */
function readEntry(init: Buffer): Buffer {
  const [entry] = childBoxes(requireBox(readBoxes(init), 'moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd'), 8);
  if (entry === undefined) throw new Error('Expected a sample entry in an init segment, got none.');
  return init.subarray(entry.start, entry.end);
}
