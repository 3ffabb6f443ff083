import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { StorageKey } from '../../ports/storage.ts';

/** Source and appearance of a video before its file was replaced. They are restored if the new file cannot be used. */
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
