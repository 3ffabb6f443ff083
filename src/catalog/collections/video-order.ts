import { type Guid, readGuid } from '../../lib/guid.ts';

/** Order of the videos of a collection: by creation, by title, or as its editors arranged them. */
export const VIDEO_ORDERS = ['oldest', 'newest', 'title', 'manual'] as const;
export type VideoOrder = (typeof VIDEO_ORDERS)[number];

/** Maximum number of videos in a playlist, and of videos that editors arrange. Additional videos are not listed. */
export const MAX_PLAYLIST_VIDEOS = 500;

/** Order of a collection in an export. `videoIds` are the first videos of a manual order. */
export type ImportedOrder = { order: VideoOrder; videoIds: Guid[] };

/** Reads the order of a collection in an export. Returns null for none, and ignores ids that are not GUIDs. */
export function readImportedOrder({ videoOrder, videoIds }: Record<string, unknown>): ImportedOrder | null {
  const order = VIDEO_ORDERS.find((one) => one === videoOrder);
  if (order === undefined) return null;
  const ids = (Array.isArray(videoIds) ? videoIds : []).map((id: unknown) => readGuid(String(id)));
  const known = ids.filter((id) => id !== null).slice(0, MAX_PLAYLIST_VIDEOS);
  return { order, videoIds: [...new Set(known)] };
}
