import type { Library } from '../catalog/libraries/library.ts';
import type { Guid } from '../lib/guid.ts';

/** Where media are found at the edge; `folderToken` opens the folder of one in a zone that requires tokens. */
export type EdgePlace = { library: Library; edgeUrl: string; folderToken?: string | null };

/** The address of a media's file at the edge, always under the pull zone's name so that it needs no DNS. */
export function edgeFileUrl({ library, edgeUrl, folderToken }: EdgePlace, mediaId: Guid, file: string): string {
  return `${edgeUrl}/${library.pullZone.name}/${folderToken == null ? '' : `${folderToken}/`}${mediaId}/${file}`;
}
