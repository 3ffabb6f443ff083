import type { LicenceProxy } from '../../catalog/drm/licence-proxy.ts';
import type { Publication } from '../../catalog/publications/publication.ts';
import { bucketsOf, writeTicket } from '../../catalog/statistics/viewing-ticket.ts';
import { chooseListedSet } from '../../media/presentation/listed-set.ts';
import type { DrmSystem } from '../../ports/drm-key-source.ts';
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
  /** What the page shows with its beacons (`catalog/statistics/viewing-ticket.ts`), and how it counts heat. */
  viewing: { ticket: string; bucketSec: number; bucketCount: number };
};

/**
 * `tag` stands for the keys; `licenceUrls` are those of the key systems by their names in the browser;
 * `certificateUrl` is FairPlay's.
 */
export type PlayerDrm = { tag: string; licenceUrls: Readonly<Record<string, string>>; certificateUrl: string | null };

/** What of a viewer and of the edge a state depends on: the viewer's token as a query, or empty, and licence servers. */
export type PlayerView = { query: string; licences: LicenceProxy | null; ticketSecret: Uint8Array };

/** Key systems as browsers name them, and their licences as addresses do. */
const KEY_SYSTEMS: Readonly<Record<DrmSystem, { name: string; file: string }>> = {
  widevine: { name: 'com.widevine.alpha', file: 'widevine' },
  playReady: { name: 'com.microsoft.playready', file: 'playready' },
  fairPlay: { name: 'com.apple.fps', file: 'fairplay' },
};

/** Whatever asks for keys hands the viewer's token on. */
export function describeState(publication: Publication, view: PlayerView): PlayerState {
  const { pullZoneName, mediaId, thumbnailKey, thumbnailFileName } = publication;
  const set = chooseListedSet(listableRenditions(publication));
  const folder = `/${pullZoneName}/${mediaId}`;
  const drm = describeDrm(publication, folder, view);
  const playlistQuery = drm === null || view.query === '' ? '' : `?${view.query}`;
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
    viewing: describeViewing(publication, view.ticketSecret),
  };
}

function describeViewing({ libraryId, mediaId, durationMs }: Publication, secret: Uint8Array): PlayerState['viewing'] {
  const buckets = bucketsOf(durationMs / 1000);
  const ticket = { libraryId, mediaId, issuedAtMs: Date.now(), ...buckets };
  return { ticket: writeTicket(ticket, secret), ...buckets };
}

function describeDrm(publication: Publication, folder: string, { query, licences }: PlayerView): PlayerDrm | null {
  const protection = protectionOf(publication);
  switch (protection.kind) {
    case 'none':
      return null;
    case 'sessions':
      return { tag: 'sessions', licenceUrls: {}, certificateUrl: null };
    case 'package': {
      const { number, signals } = protection.packaged;
      const address = (file: string) => `${folder}/license${file}${query === '' ? '' : `?${query}`}`;
      const spoken = new Set(signals.map(({ system }) => system));
      const systems = licences?.systems.filter((system) => spoken.has(system)) ?? [];
      const theirs = systems.map((system) => [KEY_SYSTEMS[system].name, address(`/${KEY_SYSTEMS[system].file}`)]);
      return {
        tag: `e${number}`,
        licenceUrls: signals.length === 0 ? { 'org.w3.clearkey': address('') } : Object.fromEntries(theirs),
        certificateUrl: systems.includes('fairPlay') ? `${folder}/license/fairplay-certificate` : null,
      };
    }
  }
}

/** What is encoded on demand is as good as finished once all of it is listed; until then renditions may join. */
function phaseOf({ state, renditions }: Publication): PlayerState['phase'] {
  switch (state) {
    case 'created':
      return 'waiting';
    case 'uploaded':
    case 'processing':
    case 'transcoding':
    case 'jit-segmenting':
      return 'processing';
    case 'jit-ready':
      return renditions.some((one) => one.isActive && !one.isOnDemand && one.state === 'building')
        ? 'processing'
        : 'finished';
    case 'finished':
      return 'finished';
    case 'failed':
    case 'upload-failed':
      return 'failed';
  }
}
