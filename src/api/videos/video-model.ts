import { Type } from 'typebox';
import type { Library } from '../../catalog/libraries/library.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import type { MediaMessage } from '../../catalog/schema.ts';
import type { VideoView } from '../../catalog/videos/video-view.ts';
import { Refused } from '../../lib/refused.ts';
import { wireNameOf } from '../../media/encode/codecs/all.ts';
import { type EdgeLocation, edgeFileUrl, type LocatedMedia } from '../addresses.ts';
import { wireTime } from '../models/answers.ts';
import type { VideoModel } from '../models/video.ts';
import type { TranscodingMessageModel } from '../models/video-parts.ts';
import { wireStatus } from '../models/video-status.ts';
import { guidParam, LibraryParams } from '../read-params.ts';
import { loadZoneSigner, type ZoneSignerDeps } from '../zone-signer.ts';
import { smartFeaturesStatus, smartStatus } from './smart-status.ts';

export const VideoParams = Type.Object({ ...LibraryParams.properties, videoId: guidParam('video') });

/**
 * Context that the model of a video needs in addition to the video: settings and names of its library, and the edge
 * URL.
 */
export type Showing = EdgeLocation;

export type ShowingDeps = ZoneSignerDeps & { libraries: LibraryStore; edgeUrl: string };

/**
 * Returns the context for showing videos of a library to a caller at `address`. Throws `Refused` (`not-found`) if the
 * library does not exist.
 */
export async function recallShowing(
  libraryId: number,
  { address, views }: { address: string; views: readonly Pick<VideoView, 'visibility'>[] },
  deps: ShowingDeps,
): Promise<Showing> {
  const library = await recallLibrary(libraryId, deps);
  const hasPrivate = views.some(({ visibility }) => visibility === 'private');
  return { library, edgeUrl: deps.edgeUrl, signer: await loadZoneSigner(library, { address, hasPrivate }, deps) };
}

/** Converts a video to its model for a caller at `address`. Throws the same errors as `recallShowing`. */
export async function showVideo(view: VideoView, address: string, deps: ShowingDeps): Promise<VideoModel> {
  return toVideoModel(view, await recallShowing(view.library_id, { address, views: [view] }, deps));
}

/**
 * Returns a library from the cache of the store, or reads it. Throws `Refused` (`not-found`) if the library does not
 * exist.
 */
export async function recallLibrary(libraryId: number, deps: { libraries: LibraryStore }): Promise<Library> {
  const library = await deps.libraries.recall(libraryId);
  if (library === null) throw new Refused('not-found', `Library ${libraryId} not found. Check the id.`);
  return library;
}

/** Converts a video to its model. */
export function toVideoModel(view: VideoView, showing: Showing): VideoModel {
  const { library } = showing;
  const { settings } = library;
  const codecs = view.codecs.length > 0 ? view.codecs : (view.upload_options.enabledCodecs ?? settings.encoding.codecs);
  const isFinished = view.state === 'finished';
  const isPremium = settings.encoding.tier === 'premium';
  return {
    videoLibraryId: view.library_id,
    guid: view.id,
    title: view.title,
    description: view.description,
    dateUploaded: wireTime(view.created_at),
    views: view.views,
    isPublic: view.is_public,
    visibility: view.visibility,
    length: Math.round(view.duration_ms / 1000),
    status: wireStatus({ state: view.state, wasPlanned: view.was_planned }),
    framerate: view.frame_rate,
    rotation: view.rotation_deg,
    width: view.width_px,
    height: view.height_px,
    availableResolutions: view.rungs.map((rung) => `${rung}p`).join(','),
    outputCodecs: codecs.map(wireNameOf).toSorted().join(','),
    thumbnailCount: view.thumbnail_count,
    encodeProgress: isFinished ? 100 : view.encode_progress,
    storageSize: view.storage_bytes,
    captions: view.captions.map(({ srclang, label, version }) => ({ srclang, label, version })),
    hasMP4Fallback: isFinished && settings.mp4.enabled && !settings.drm.enabled && view.mp4_rungs.length > 0,
    collectionId: view.collection_id ?? '',
    thumbnailFileName: view.thumbnail_file_name,
    thumbnailBlurhash: view.thumbnail_blurhash,
    averageWatchTime: view.views > 0 ? Math.round(view.watch_sec_total / view.views) : 0,
    totalWatchTime: view.watch_sec_total,
    category: view.category,
    chapters: view.chapters,
    moments: view.moments,
    metaTags: view.meta_tags,
    transcodingMessages: view.messages.map(toMessageModel),
    jitEncodingEnabled: isPremium && (view.upload_options.jitEnabled ?? settings.encoding.jitEnabled),
    smartGenerateStatus: view.smart && smartStatus(view.smart),
    hasOriginal: view.source_key !== null,
    originalHash: view.source_sha256,
    thumbnailUrl: view.thumbnail_key && edgeFileUrl(showing, mediaOf(view), view.thumbnail_file_name),
    smartGenerateFeaturesStatus: view.smart && smartFeaturesStatus(view.smart),
    hasHighQualityPreview: view.previews.includes('preview_hq.mp4'),
  };
}

/** Returns the media item of a video, for its URLs at the edge. */
export function mediaOf({ id, visibility }: VideoView): LocatedMedia {
  return { mediaId: id, visibility };
}

/** Converts a message about the processing of a video to its model. */
export function toMessageModel({ at, level, issueCode, message, value }: MediaMessage): TranscodingMessageModel {
  // The jobs that write messages use only the codes of this enumeration.
  const code = issueCode as TranscodingMessageModel['issueCode'];
  return { timeStamp: wireTime(new Date(at)), level, issueCode: code, message, value };
}
