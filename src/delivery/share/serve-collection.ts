import type { Playlist, PlaylistItem } from '../../catalog/playlists/playlist.ts';
import { isShareOpen, shareEndSec } from '../../catalog/shares/share.ts';
import type { SharePart } from '../../catalog/shield/admission/edge-path.ts';
import { type Guid, readGuid } from '../../lib/guid.ts';
import { type Answer, CACHE_NOTHING } from '../http/answer.ts';
import { fileUrlFor } from '../shield/sign-for-viewer.ts';
import {
  type AskedShare,
  notice,
  originOf,
  page,
  parameterOf,
  pathOf,
  redirect,
  type ShareDeps,
  UNLISTED,
} from './share-answers.ts';
import { downloadUrl, openVideo, playerUrl } from './shared-video.ts';
import { writeCollectionPage } from './write-collection-page.ts';

/**
 * Serves the page of a shared collection, its player, its list for that player, or a file. The `video` in the query is
 * one of the collection; without it, the first one is shown.
 */
export async function serveCollection(
  { admitted, share }: AskedShare,
  { collectionId, part }: { collectionId: Guid; part: Exclude<SharePart, 'logo' | 'comments'> },
  deps: ShareDeps,
): Promise<Answer> {
  const key = { libraryId: share.libraryId, collectionId };
  const playlist = await deps.playlists.find(key, admitted.request.client, deps.budgets);
  if (playlist === null) return notice(admitted, 'gone', deps);
  if (part === 'list') return listOf(playlist);
  const wanted = parameterOf(admitted, 'video');
  const named = readGuid(wanted);
  const first = playlist.items[0]?.mediaId ?? null;
  if (part === 'page') {
    const shown = playlist.items.some(({ mediaId }) => mediaId === named) ? named : first;
    return pageOf({ admitted, share }, { playlist, shown }, deps);
  }
  const mediaId = wanted === '' ? first : named;
  const opened =
    mediaId === null ? notice(admitted, 'gone', deps) : await openVideo({ admitted, share }, mediaId, deps);
  if ('kind' in opened) return opened;
  if (part === 'player') return redirect(playerUrl(admitted, opened));
  const url = downloadUrl(admitted, opened);
  return url === null ? notice(admitted, 'gone', deps) : redirect(url);
}

function pageOf(
  { admitted, share }: AskedShare,
  { playlist, shown }: { playlist: Playlist; shown: Guid | null },
  deps: ShareDeps,
): Answer {
  const view = {
    path: pathOf(admitted),
    origin: originOf(admitted, deps),
    apiUrl: deps.apiUrl,
    isOpen: isShareOpen(share),
    offersDownload: share.allowsDownload && playlist.settings.offersMp4,
    shown,
    thumbnailOf: (item: PlaylistItem) => thumbnailUrl({ admitted, share }, playlist, item),
  };
  return page({ status: 200 }, (nonce) => writeCollectionPage(playlist, view, { assets: deps.player, nonce }));
}

/** Returns the list that the player fetches to go to the next video. */
function listOf({ name, items }: Playlist): Answer {
  const list = { title: name, videos: items.map(({ mediaId, title }) => ({ id: mediaId, title })) };
  return {
    kind: 'bytes',
    bytes: Buffer.from(JSON.stringify(list)),
    contentType: 'application/json; charset=utf-8',
    cacheControl: CACHE_NOTHING,
    etag: null,
    headers: { ...UNLISTED, Vary: 'Cookie' },
  };
}

/** Returns the URL of a thumbnail, with a token for this file if the zone requires one. */
function thumbnailUrl(
  { admitted, share }: AskedShare,
  { pullZoneName }: Playlist,
  { mediaId, thumbnailFileName }: PlaylistItem,
): string | null {
  if (thumbnailFileName === null) return null;
  // A playlist has only public videos.
  const file = { pullZoneName, mediaId, file: thumbnailFileName, visibility: 'public' } as const;
  return fileUrlFor(file, admitted, shareEndSec(share));
}
