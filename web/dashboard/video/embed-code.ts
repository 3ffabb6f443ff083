/** Returns the address of a video's player. */
export function playerAddress(edgeUrl: string, libraryId: number, videoId: string): string {
  return `${edgeUrl}/embed/${libraryId}/${videoId}`;
}

/** Returns the HTML that embeds a player. */
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
