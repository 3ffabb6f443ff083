import type { Generated } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { WatermarkPosition } from '../../media/encode/watermark.ts';
import type { StorageKey } from '../../ports/storage.ts';

/** A row of `image`: one stored object of the images in `media.images`. */
export type ImageTable = {
  library_id: number;
  media_id: Guid;
  storage_key: StorageKey;
  use: 'thumbnail' | 'preview';
  size_bytes: number;
};

/** A row of `waveform_due`: a video whose default audio has changed since its waveform was drawn. */
export type WaveformDueTable = { library_id: number; media_id: Guid; changes: Generated<number> };

/** A watermark burned into the video: its upload version and its position. */
export type StoredWatermark = WatermarkPosition & { version: number };
