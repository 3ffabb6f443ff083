import type { Guid } from '../../lib/guid.ts';
import type { DeliverySettings } from '../publications/delivery-settings.ts';

/** A video of a playlist. `thumbnailFileName` is null if it has no thumbnail. */
export type PlaylistItem = { mediaId: Guid; title: string; durationMs: number; thumbnailFileName: string | null };

/** The playable videos of a collection in its order, at most 500, and what the edge needs to show them. */
export type Playlist = {
  libraryId: number;
  collectionId: Guid;
  name: string;
  settings: DeliverySettings;
  pullZoneName: string;
  items: readonly PlaylistItem[];
};
