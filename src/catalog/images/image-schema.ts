import type { Guid } from '../../lib/guid.ts';
import type { WatermarkPlace } from '../../media/encode/watermark.ts';
import type { StorageKey } from '../../ports/storage.ts';

/** A row of `image`: a stored object of the images that `media.images` lists. */
export type ImageTable = {
  library_id: number;
  media_id: Guid;
  storage_key: StorageKey;
  use: 'thumbnail' | 'preview';
  size_bytes: number;
};

/** A mark that is burned into video: which upload of the library's, and where it stands. */
export type StoredWatermark = WatermarkPlace & { version: number };
