/** Returns the address of a video's player. */
export function playerAddress(edgeUrl: string, libraryId: number, videoId: string): string {
  return `${edgeUrl}/embed/${libraryId}/${videoId}`;
}

/** Frame size of a video. Both sides are 0 until it is known. */
type Shape = { width: number; height: number };

/** Returns the shape of a player's frame in CSS: that of the video, or 16/9 until it is known. */
function aspectRatio({ width, height }: Shape): string {
  return width > 0 && height > 0 ? `${width}/${height}` : '16/9';
}

/** Attributes of a player's frame in the dashboard, for the shape of its video. */
export function frameShape(shape: Shape): { class: string; style: { aspectRatio: string } } {
  const isPortrait = shape.height > shape.width;
  return { class: isPortrait ? 'player portrait' : 'player', style: { aspectRatio: aspectRatio(shape) } };
}

/** Returns the HTML that embeds a player. A portrait video gets a portrait frame that is no higher than the window. */
export function embedCode(address: string, video: Shape & { title: string }): string {
  const fits = video.height > video.width ? ';max-height:100vh' : '';
  return (
    `<iframe src="${escapeHtml(address)}" title="${escapeHtml(video.title)}" loading="lazy" ` +
    `style="border:0;width:100%;aspect-ratio:${aspectRatio(video)}${fits}" ` +
    'allow="autoplay; encrypted-media; picture-in-picture; ' +
    'fullscreen" allowfullscreen></iframe>'
  );
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
