/** Returns a complete URL. Without a public URL, the service names only the path. */
export function fullLink(link: string): string {
  return link.startsWith('/') ? location.origin + link : link;
}
