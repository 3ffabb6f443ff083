import type { Publication } from '../../catalog/publications/publication.ts';
import { chooseListedSet } from '../../media/playlists/listed-set.ts';
import { listableRenditions, protectionOf } from '../drm/protection.ts';

/** What the player page knows of a video; it asks again while something may still change. */
export type PlayerState = {
  publication: number;
  phase: 'waiting' | 'processing' | 'finished' | 'failed';
  isPlayable: boolean;
  progressPercent: number;
  /** Why the video failed, for people; null else. */
  reason: string | null;
  title: string;
  durationSec: number;
  playlistUrl: string;
  posterUrl: string | null;
  /** Ids of the listed renditions: when they change, an open player reads the playlist again. */
  renditions: string[];
  /** How it is protected; an open player reads the playlist again when this changes too. Null in the clear. */
  drm: PlayerDrm | null;
};

/** `tag` stands for the keys; `licenceUrls` are those of the key systems by their names in the browser. */
export type PlayerDrm = { tag: string; licenceUrls: Readonly<Record<string, string>> };

/** `query` is the viewer's token, or empty; whatever asks for keys hands it on. */
export function describeState(publication: Publication, query: string): PlayerState {
  const { pullZoneName, mediaId, thumbnailKey, thumbnailFileName } = publication;
  const set = chooseListedSet(listableRenditions(publication));
  const folder = `/${pullZoneName}/${mediaId}`;
  const drm = describeDrm(publication, folder, query);
  const playlistQuery = drm === null || query === '' ? '' : `?${query}`;
  const phase = phaseOf(publication);
  return {
    publication: publication.publication,
    phase,
    isPlayable: set.isPlayable,
    progressPercent: Math.max(0, Math.min(100, publication.encodeProgressPercent)),
    reason: phase === 'failed' ? publication.stateReason : null,
    title: publication.title,
    durationSec: publication.durationMs / 1000,
    playlistUrl: `${folder}/playlist.m3u8${playlistQuery}`,
    posterUrl: thumbnailKey === null ? null : `${folder}/${thumbnailFileName}`,
    renditions: [...set.video, ...set.audio].map(({ id }) => id),
    drm,
  };
}

function describeDrm(publication: Publication, folder: string, query: string): PlayerDrm | null {
  const protection = protectionOf(publication);
  switch (protection.kind) {
    case 'none':
      return null;
    case 'sessions':
      return { tag: 'sessions', licenceUrls: {} };
    case 'package': {
      const licence = `${folder}/license${query === '' ? '' : `?${query}`}`;
      return { tag: `e${protection.packaged.number}`, licenceUrls: { 'org.w3.clearkey': licence } };
    }
  }
}

function phaseOf({ state }: Publication): PlayerState['phase'] {
  switch (state) {
    case 'created':
      return 'waiting';
    case 'uploaded':
    case 'processing':
    case 'transcoding':
    case 'jit-segmenting':
      return 'processing';
    case 'finished':
    case 'jit-ready':
      return 'finished';
    case 'failed':
    case 'upload-failed':
      return 'failed';
  }
}
