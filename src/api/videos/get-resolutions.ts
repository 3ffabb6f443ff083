import type { Db } from '../../catalog/db.ts';
import type { Library } from '../../catalog/libraries/library.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { listMp4Rungs } from '../../catalog/publications/mp4-rungs.ts';
import { AUDIO_FILE } from '../../catalog/shield/admission/edge-path.ts';
import { loadVideoSnapshot, type RenditionView, type StoredVideo } from '../../catalog/videos/rendition-view-store.ts';
import type { Guid } from '../../lib/guid.ts';
import { BASE_CODEC } from '../../media/encode/codecs/all.ts';
import { defineOperation } from '../define-operation.ts';
import { ok, wireTime } from '../models/answers.ts';
import {
  type ResolutionReference,
  StatusModelOfVideoResolutionsInfoModel,
  type StorageObjectModel,
  type VideoResolutionsInfoModel,
} from '../models/video-storage.ts';
import { recallLibrary, VideoParams } from './video-model.ts';

type Deps = { db: Db; libraries: LibraryStore; edgeUrl: string };

export const getResolutions = defineOperation({
  name: 'getResolutions',
  method: 'GET',
  path: '/library/{libraryId}/videos/{videoId}/resolutions',
  description:
    'Lists the resolutions of a video by use: in playlists, stored, available as MP4, and configured in the ' +
    'library.',
  auth: 'access-key',
  permission: 'videos.read',
  params: VideoParams,
  answer: StatusModelOfVideoResolutionsInfoModel,
  refusals: { 'not-found': 404 },
  async run({ params: { libraryId, videoId } }, { db, ...deps }: Deps) {
    const library = await recallLibrary(libraryId, deps);
    const video = await loadVideoSnapshot(db, { libraryId, mediaId: videoId });
    return { ...ok(), data: describe(video, library, videoId) };
  },
});

function describe(video: StoredVideo, library: Library, videoId: Guid): VideoResolutionsInfoModel {
  const videoRenditions = video.renditions.filter(({ kind }) => kind === 'video');
  const finished = videoRenditions.filter(({ isActive, state }) => isActive && state === 'finished');
  const whole = videoRenditions.filter(
    ({ isActive, isOnDemand, state }) => isActive && (isOnDemand || state === 'finished'),
  );
  const stored = video.renditions.filter(({ storageBytes, isRetired }) => storageBytes > 0 && !isRetired);
  const offersMp4 = library.settings.mp4.enabled && !library.settings.drm.enabled;
  const hasMp4 = video.state === 'finished' && offersMp4;
  const joined = listJoined(video);
  const joinedVideo = joined.filter(({ kind }) => kind === 'video');
  return {
    videoId,
    videoLibraryId: library.id,
    availableResolutions: names(rungsOf([...whole, ...joinedVideo])),
    configuredResolutions: names(library.settings.encoding.rungs),
    playlistResolutions: videoRenditions
      .filter(({ isActive, hasStart, isOnDemand }) => isActive && (hasStart || isOnDemand))
      .map((rendition) => reference(rendition.rung, playlistOf(rendition))),
    storageResolutions: stored
      .filter(({ kind }) => kind === 'video')
      .map(({ rung, id }) => reference(rung, `${library.id}/${videoId}/${id}/`)),
    mp4Resolutions: hasMp4 ? listDownloads(video, video.isSplit ? joinedVideo : finished) : [],
    storageObjects: stored.map((rendition) => toFolder(rendition, { library, videoId, createdAt: video.createdAt })),
    oldResolutions: [],
    hasBothOldAndNewResolutionFormat: false,
    hasOriginal: video.originalBytes !== null,
  };
}

function listDownloads(video: StoredVideo, finished: readonly RenditionView[]): ResolutionReference[] {
  const isAudioOnly = !video.renditions.some(({ kind, isActive }) => kind === 'video' && isActive);
  const hasAudioFile = !video.isSplit || listJoined(video).length > 0;
  if (isAudioOnly) return hasAudioFile ? [{ resolution: 'audio', path: AUDIO_FILE }] : [];
  const rungs = listMp4Rungs(rungsOf(finished.filter(({ codec }) => codec === BASE_CODEC)));
  return rungs.map((rung) => reference(rung, `play_${rung}p.mp4`));
}

/** Lists the joined renditions of a recording, which have a file only when all of them are finished. */
function listJoined({ renditions }: StoredVideo): RenditionView[] {
  const joined = renditions.filter(({ isJoined, isRetired }) => isJoined && !isRetired);
  return joined.every(({ state }) => state === 'finished') ? joined : [];
}

function rungsOf(renditions: readonly RenditionView[]): number[] {
  const rungs = renditions.flatMap(({ rung }) => (rung === null ? [] : [rung]));
  return [...new Set(rungs)].toSorted((a, b) => a - b);
}

function names(rungs: readonly number[]): string[] {
  return rungs.map((rung) => `${rung}p`);
}

function reference(rung: number | null, path: string): ResolutionReference {
  return { resolution: rung === null ? null : `${rung}p`, path };
}

/** Returns the URL of a rendition's playlist. The name of a rung is an alias of its H.264 rendition. */
function playlistOf({ id, rung, codec }: RenditionView): string {
  return codec === BASE_CODEC && rung !== null ? `${rung}p/video.m3u8` : `r/${id}/video.m3u8`;
}

type Place = { library: Library; videoId: Guid; createdAt: Date };

/** Reports a rendition's objects as the folder that contains them. */
function toFolder(rendition: RenditionView, { library, videoId, createdAt }: Place): StorageObjectModel {
  return {
    guid: rendition.id,
    storageZoneName: library.pullZone.name,
    path: `/${library.id}/${videoId}/`,
    objectName: rendition.id,
    length: rendition.storageBytes,
    lastChanged: wireTime(rendition.lastStoredAt ?? createdAt),
    serverId: 0,
    isDirectory: true,
    userId: null,
    contentType: null,
    dateCreated: wireTime(rendition.firstStoredAt ?? createdAt),
    storageZoneId: library.pullZone.id,
    checksum: null,
    replicatedZones: null,
  };
}
