/** Returns the path of a video's play data for the dashboard, to which the rules for viewers do not apply. */
export function playDataPath(libraryId: number, videoId: string): string {
  return `/dashboard/libraries/${libraryId}/videos/${videoId}/play`;
}
