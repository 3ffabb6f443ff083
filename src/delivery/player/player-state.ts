import type { Publication } from '../../catalog/publications/publication.ts';
import { chooseListedSet } from '../../media/playlists/listed-set.ts';

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
};

export function describeState(publication: Publication): PlayerState {
  const { pullZoneName, mediaId, thumbnailKey, thumbnailFileName } = publication;
  const set = chooseListedSet(publication.renditions);
  const folder = `/${pullZoneName}/${mediaId}`;
  const phase = phaseOf(publication);
  return {
    publication: publication.publication,
    phase,
    isPlayable: set.isPlayable,
    progressPercent: Math.max(0, Math.min(100, publication.encodeProgressPercent)),
    reason: phase === 'failed' ? publication.stateReason : null,
    title: publication.title,
    durationSec: publication.durationMs / 1000,
    playlistUrl: `${folder}/playlist.m3u8`,
    posterUrl: thumbnailKey === null ? null : `${folder}/${thumbnailFileName}`,
    renditions: [...set.video, ...set.audio].map(({ id }) => id),
  };
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
