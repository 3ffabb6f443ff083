import type { Library } from '../catalog/libraries/library.ts';
import type { Guid } from '../lib/guid.ts';

/** The address of a media's file at the edge, always under the pull zone's name so that it needs no DNS. */
export function edgeFileUrl(edgeUrl: string, { pullZone }: Library, mediaId: Guid, file: string): string {
  return `${edgeUrl}/${pullZone.name}/${mediaId}/${file}`;
}
