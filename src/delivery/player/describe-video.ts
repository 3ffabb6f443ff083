import type { KeyObject } from 'node:crypto';
import { isBeforeStart } from '../../catalog/live/live-stream.ts';
import type { LiveHead } from '../../catalog/live/viewing/live-head.ts';
import type { Publication, StoredRendition } from '../../catalog/publications/publication.ts';
import { bucketsOf, newPageName, readTicket, writeTicket } from '../../catalog/statistics/sessions/viewing-ticket.ts';
import type { Guid } from '../../lib/guid.ts';
import type { DerivedSecret } from '../../lib/secret-ring.ts';
import { chooseListedSet, type ListedSet } from '../../media/presentation/listed-set.ts';
import type { DrmSystem } from '../../ports/drm-key-source.ts';
import type { LicenceProxy } from '../../ports/licence-proxy.ts';
import { listableRenditions, protectionOf } from '../drm/protection.ts';
import { hasPreview, mayPlay, phaseOfStream, sourceOfStream, streamOf } from './describe-stream.ts';
import type { PlayerDetails, PlayerDrm, PlayerSource, PlayerState, VideoPhase } from './player-state.ts';

/**
 * Properties of the viewer and the edge that affect the player state: the viewer's embed token as a query, or empty;
 * the licence servers; and the token that grants access to the video's folder, or null if the zone requires none.
 */
export type PlayerView = {
  query: string;
  licences: LicenceProxy | null;
  folderToken: string | null;
  /** Whether the viewer has an embed token, which grants access to media published before the start. */
  mayPreview: boolean;
  /** Video shown until a stream begins. */
  trailer: Trailer | null;
  ticketSecret: DerivedSecret<KeyObject>;
  /** Ticket that the page already has, or empty. */
  ticket: string;
  /** Whether no new media of a live stream arrives at this edge, or null if the edge does not know. */
  isSilent: boolean | null;
  /** Ids of the newest video of a live stream. Empty if it has none, or if the edge does not know. */
  liveVideo: readonly Guid[];
  /** Current viewers of a live stream, or null if unknown. */
  viewers: number | null;
  /** Heat curve of the most played parts, or null if it is not shown. */
  heat: readonly number[] | null;
};

/** A trailer with its own tokens. The tokens of the stream do not grant access to it. */
export type Trailer = { publication: Publication } & Pick<PlayerView, 'folderToken' | 'query'>;

/** Browser names of the key systems, and the file names of their licence URLs. */
const KEY_SYSTEMS: Readonly<Record<DrmSystem, { name: string; file: string }>> = {
  widevine: { name: 'com.widevine.alpha', file: 'widevine' },
  playReady: { name: 'com.microsoft.playready', file: 'playready' },
  fairPlay: { name: 'com.apple.fps', file: 'fairplay' },
};

/**
 * Returns the state of a video or live stream for the player page. URLs of protected media include the viewer's token.
 */
export function describeVideo(publication: Publication, view: PlayerView): PlayerState {
  const { thumbnailKey, thumbnailFileName, encodeProgressPercent } = publication;
  const stream = streamOf(publication);
  return {
    revision: publication.revision,
    title: publication.title,
    phase:
      stream === null
        ? phaseOf(publication)
        : phaseOfStream(stream, {
            percent: encodeProgressPercent,
            mayPreview: view.mayPreview,
            isSilent: view.isSilent,
            viewers: view.viewers,
            nowMs: Date.now(),
          }),
    source: stream === null ? describeSource(publication, view) : describeStreamSource(publication, stream, view),
    posterUrl: thumbnailKey === null ? null : `${folderOf(publication, view)}/${thumbnailFileName}`,
    details: describeDetails(publication, view),
    viewing: describeViewing(publication, view),
  };
}

function describeStreamSource(publication: Publication, stream: LiveHead, view: PlayerView): PlayerSource | null {
  const isPreview = view.mayPreview && hasPreview(stream);
  const { drm, playlistUrl } = openFolder(publication, view, isPreview);
  // With Enterprise DRM, the edge serves no media of a stream until the stream has keys.
  const isKeyless = drm === null && publication.settings.drm === 'enterprise';
  if ((mayPlay(stream, view.isSilent) || isPreview) && !isKeyless) {
    return sourceOfStream({ playlistUrl, drm, renditions: view.liveVideo });
  }
  return trailerOf(stream, view);
}

function trailerOf(stream: LiveHead, view: PlayerView): PlayerSource | null {
  const { trailer } = view;
  if (trailer === null || !isBeforeStart(stream)) return null;
  const { publication, folderToken, query } = trailer;
  return describeSource(publication, { ...view, folderToken, query });
}

/**
 * Returns the viewing data of a page. Renews the page's ticket with the current length of the media. The page id and
 * the time stay the same, so that the session continues.
 */
function describeViewing(
  { libraryId, mediaId, durationMs }: Publication,
  { ticket, ticketSecret }: PlayerView,
): PlayerState['viewing'] {
  const buckets = bucketsOf(durationMs / 1000);
  const nowMs = Date.now();
  const shown = readTicket(ticket, ticketSecret(), nowMs);
  const isOfMedia = shown?.libraryId === libraryId && shown.mediaId === mediaId;
  const page = isOfMedia ? shown : { libraryId, mediaId, issuedAtMs: nowMs, page: newPageName() };
  return { ticket: writeTicket({ ...page, ...buckets }, ticketSecret()[0]), ...buckets };
}

/** Returns the path of the video's folder. The token is part of the path, so relative URLs keep it. */
export function folderOf(
  { pullZoneName, mediaId }: Publication,
  { folderToken }: Pick<PlayerView, 'folderToken'>,
): string {
  return `/${pullZoneName}/${folderToken === null ? '' : `${folderToken}/`}${mediaId}`;
}

function describeSource(publication: Publication, view: PlayerView): PlayerSource | null {
  const set: ListedSet<StoredRendition> = chooseListedSet(listableRenditions(publication));
  // The sets of a stream are listed while they are still being written.
  if (!set.isPlayable && publication.live === undefined) return null;
  const { drm, playlistUrl, manifestUrl } = openFolder(publication, view, false);
  return {
    playlistUrl,
    // Play session keys and recordings of several periods are only available in HLS.
    manifestUrl: drm?.tag === 'sessions' || publication.live !== undefined ? null : manifestUrl,
    durationSec: publication.durationMs / 1000,
    hasPicture: set.video.length > 0 || publication.live !== undefined,
    renditions: [...set.video, ...set.audio].map(({ id }) => id),
    drm,
  };
}

/** Returns the parts of URLs that grant access to the media. Protected media and previews need the viewer's token. */
function openFolder(publication: Publication, view: PlayerView, isPreview: boolean) {
  const folder = folderOf(publication, view);
  const drm = describeDrm(publication, folder, view);
  const query = (drm === null && !isPreview) || view.query === '' ? '' : `?${view.query}`;
  return { drm, playlistUrl: `${folder}/playlist.m3u8${query}`, manifestUrl: `${folder}/manifest.mpd${query}` };
}

function describeDetails(publication: Publication, view: PlayerView): PlayerDetails {
  const { captions, chapters, images, waveform, thumbnailBlurhash } = publication;
  const folder = folderOf(publication, view);
  return {
    chapters: chapters.map(({ title, start, end }) => ({ title, startSec: start, endSec: end })),
    captions: captions.map(({ srclang, label, version }) => ({
      language: srclang,
      label,
      url: `${folder}/captions/${encodeURIComponent(srclang)}.vtt?ver=${version}`,
    })),
    storyboardUrl: images === null ? null : `${folder}/seek/thumbnails.vtt`,
    waveformUrl: waveform === null || waveform.length === 0 ? null : `${folder}/waveform.svg`,
    heat: view.heat,
    blurhash: thumbnailBlurhash,
  };
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

/**
 * Returns the phase of a video. A video that is encoded on demand counts as finished once all renditions are listed.
 * Until then, renditions may be added.
 */
export function phaseOf({ state, stateReason, encodeProgressPercent, renditions }: Publication): VideoPhase {
  const percent = Math.max(0, Math.min(100, encodeProgressPercent));
  switch (state) {
    case 'created':
      return { kind: 'waiting' };
    case 'uploaded':
    case 'processing':
    case 'transcoding':
    case 'jit-segmenting':
      return { kind: 'processing', percent };
    case 'jit-ready':
      return renditions.some((one) => one.isActive && !one.isOnDemand && one.state === 'building')
        ? { kind: 'processing', percent }
        : { kind: 'finished' };
    case 'finished':
      return { kind: 'finished' };
    case 'failed':
    case 'upload-failed':
      return { kind: 'failed', reason: stateReason ?? state };
  }
}
