import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { StorageKey } from '../../ports/storage.ts';

/**
 * What a video was made of, and looked like, before another file came: all that is put back when that cannot be used.
 */
export type Replaced = {
  sourceKey: StorageKey | null;
  sourceBytes: number | null;
  /** Lower-case hex. */
  sourceSha256: string | null;
  facts: SourceFacts | null;
  uploadOptions: Record<string, unknown>;
  durationMs: number;
  widthPx: number;
  heightPx: number;
  frameRate: number;
  rotationDeg: number | null;
};
