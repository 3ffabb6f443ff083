/** Where the player shows a video. */
export function playerAddress(edgeUrl: string, libraryId: number, videoId: string): string {
  return `${edgeUrl}/embed/${libraryId}/${videoId}`;
}

/** The code that puts a player on a page. */
export function embedCode(address: string, title: string): string {
  return (
    `<iframe src="${escapeHtml(address)}" title="${escapeHtml(title)}" loading="lazy" ` +
    'style="border:0;width:100%;aspect-ratio:16/9" allow="autoplay; encrypted-media; picture-in-picture; ' +
    'fullscreen" allowfullscreen></iframe>'
  );
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
