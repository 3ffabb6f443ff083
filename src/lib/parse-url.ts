/** Parses a URL; returns null for anything else. The packed command line runs on Node 20, which lacks `URL.parse`. */
export function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
