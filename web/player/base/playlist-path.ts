/**
 * Returns the path of the share page whose playlist this page plays, or null. It is in the fragment of the
 * URL, which the browser sends to no server.
 */
export function playlistPath(): string | null {
  const path = new URLSearchParams(location.hash.slice(1)).get('list') ?? '';
  return /^\/share\/[\w-]{43}$/.test(path) ? path : null;
}
