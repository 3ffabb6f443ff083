/** Order of the videos of a collection: by creation, by title, or as its editors arranged them. */
export type VideoOrder = 'oldest' | 'newest' | 'title' | 'manual';

/** Maximum number of videos in a playlist, and of videos that editors arrange. Additional videos are not listed. */
export const MAX_PLAYLIST_VIDEOS = 500;
