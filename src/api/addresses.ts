import type { EmbedToken } from '../catalog/libraries/embed-token.ts';
import type { Library } from '../catalog/libraries/library.ts';
import type { Visibility } from '../catalog/visibility.ts';
import type { Guid } from '../lib/guid.ts';
import type { ZoneSigner } from './zone-signer.ts';

/** A media item whose files have URLs at the edge. */
export type LocatedMedia = { mediaId: Guid; visibility: Visibility };

/** Location of media at the edge; `signer` is null if no URL needs a token. */
export type EdgeLocation = { library: Library; edgeUrl: string; signer: ZoneSigner | null };

/**
 * Returns the location for a viewer with an embed token. If the owner decides which viewers may watch, its URLs expire
 * with that token, because the token ends with the decision.
 */
export function locationForViewer<Location extends EdgeLocation>(
  location: Location,
  { expiresSec }: EmbedToken,
): Location {
  if (location.signer === null || location.library.settings.viewers.mode === 'off') return location;
  return { ...location, signer: location.signer.until(expiresSec) };
}

/**
 * Returns the URL of a media item's file at the edge. Its path begins with the name of the pull zone, so that it needs
 * no DNS entry. Its token opens only this file, because an image may be shown to people who may not play the video.
 */
export function edgeFileUrl(location: EdgeLocation, media: LocatedMedia, file: string): string {
  const { library, edgeUrl } = location;
  const { mediaId } = media;
  const signer = signerFor(media, location);
  const query = signer === null ? '' : `?${signer.file(mediaId, file)}`;
  return `${edgeUrl}/${library.pullZone.name}/${mediaId}/${file}${query}`;
}

/**
 * Returns the URL of a media item's folder for players, with a final slash. Its token opens all files in the folder.
 */
export function edgeFolderUrl(location: EdgeLocation, media: LocatedMedia & { durationMs: number }): string {
  const { library, edgeUrl } = location;
  const signer = signerFor(media, location);
  const token = signer === null ? '' : `${signer.folder(media)}/`;
  return `${edgeUrl}/${library.pullZone.name}/${token}${media.mediaId}/`;
}

function signerFor({ visibility }: LocatedMedia, { signer }: EdgeLocation): ZoneSigner | null {
  return signer !== null && (signer.signsAll || visibility === 'private') ? signer : null;
}
