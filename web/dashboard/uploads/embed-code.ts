/** Returns the URL of a video's player. */
export function playerAddress(edgeUrl: string, libraryId: number, videoId: string): string {
  return `${edgeUrl}/embed/${libraryId}/${videoId}`;
}

/** Frame size of a video. Both sides are 0 until it is known. */
export type Shape = { width: number; height: number };

/** Returns the shape of a player's frame in CSS: that of the video, or 16/9 until it is known. */
function aspectRatio({ width, height }: Shape): string {
  return width > 0 && height > 0 ? `${width}/${height}` : '16/9';
}

/** Attributes of a player's frame in the dashboard, for the shape of its video. */
export function frameShape(shape: Shape): { class: string; style: { aspectRatio: string } } {
  const isPortrait = shape.height > shape.width;
  return { class: isPortrait ? 'player portrait' : 'player', style: { aspectRatio: aspectRatio(shape) } };
}

/** Size of a player's frame on a page. The height follows from the aspect ratio of the video. */
export type FrameSize = { kind: 'fluid' } | { kind: 'fixed'; widthPx: number };

/** Returns the size of a fixed frame. Null for a fluid one. */
export function frameSizePx({ width, height }: Shape, size: FrameSize): { widthPx: number; heightPx: number } | null {
  if (size.kind === 'fluid') return null;
  const ratio = width > 0 && height > 0 ? height / width : 9 / 16;
  return { widthPx: size.widthPx, heightPx: Math.max(1, Math.round(size.widthPx * ratio)) };
}

/**
 * Returns the attributes of a player's frame. A fluid frame is as wide as its place. A portrait one is also no higher
 * than the window.
 */
export function frameAttributes(
  address: string,
  video: Shape & { title: string },
  size: FrameSize,
): Record<string, string> & { style: string } {
  const fits = video.height > video.width ? ';max-height:100vh' : '';
  const fixed = frameSizePx(video, size);
  const sides: Record<string, string> =
    fixed === null ? {} : { width: `${fixed.widthPx}`, height: `${fixed.heightPx}` };
  return {
    src: address,
    title: video.title,
    ...sides,
    loading: 'lazy',
    style: fixed === null ? `border:0;width:100%;aspect-ratio:${aspectRatio(video)}${fits}` : 'border:0',
    allow: 'autoplay; encrypted-media; picture-in-picture',
  };
}

/** Returns the HTML that embeds a player. */
export function embedCode(
  address: string,
  video: Shape & { title: string },
  size: FrameSize = { kind: 'fluid' },
): string {
  const attributes = Object.entries(frameAttributes(address, video, size));
  const written = attributes.map(([name, value]) => `${name}="${escapeHtml(value)}"`);
  return `<iframe ${written.join(' ')} allowfullscreen></iframe>`;
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
