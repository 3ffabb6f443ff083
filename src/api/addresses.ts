import type { Library } from '../catalog/libraries/library.ts';
import type { Guid } from '../lib/guid.ts';
import type { ZoneSigner } from './zone-signer.ts';

/** Where media are found at the edge; `signer` is null where the zone requires no token. */
export type EdgePlace = { library: Library; edgeUrl: string; signer: ZoneSigner | null };

/**
 * The address of a media's file at the edge, always under the pull zone's name so that it needs no DNS. Its token opens
 * this file only: an image may be shown to people who may not play the video.
 */
export function edgeFileUrl({ library, edgeUrl, signer }: EdgePlace, mediaId: Guid, file: string): string {
  const query = signer === null ? '' : `?${signer.file(mediaId, file)}`;
  return `${edgeUrl}/${library.pullZone.name}/${mediaId}/${file}${query}`;
}

/** The address of a media's folder with a slash at its end, for players: its token opens all files below. */
export function edgeFolderUrl(
  { library, edgeUrl, signer }: EdgePlace,
  media: { mediaId: Guid; durationMs: number },
): string {
  const token = signer === null ? '' : `${signer.folder(media)}/`;
  return `${edgeUrl}/${library.pullZone.name}/${token}${media.mediaId}/`;
}
