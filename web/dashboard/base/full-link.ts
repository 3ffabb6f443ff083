import { prefix } from './router.ts';

/** Returns a complete URL. If no public URL is configured, the service returns only the path. */
export function fullLink(link: string): string {
  return link.startsWith('/') ? location.origin + prefix + link : link;
}
