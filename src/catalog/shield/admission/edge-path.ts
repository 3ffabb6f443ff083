import { type Guid, parseGuid, readGuid } from '../../../lib/guid.ts';
import { sheetName } from '../../../media/images/image-set.ts';
import type { DrmSystem } from '../../../ports/drm-key-source.ts';
import { type PullZoneName, parsePullZoneName } from '../../pull-zones/pull-zone-name.ts';
import { SHARE_TOKEN } from '../../shares/share.ts';

/** Target of a request. Paths that do not match one of these forms do not exist. */
export type EdgeTarget =
  | { kind: 'media'; mediaId: Guid; file: MediaFile }
  /** `isDirect`: the URL that opens the player as a top-level page. */
  | { kind: 'player'; libraryId: number; mediaId: Guid; wantsState: boolean; isDirect: boolean }
  /** `token` is the secret part of the link of a share page; empty if it is malformed. */
  | { kind: 'share'; token: string; part: SharePart }
  | { kind: 'beacon' }
  | { kind: 'asset'; name: string }
  /** A script for pages that embed the player: the client of the player.js protocol, or `<millrace-player>`. */
  | { kind: 'embed-client'; script: 'protocol' | 'element' };

/**
 * The page of a share; the player in it; the list of its videos, for the player; the file that it offers; the logo of
 * its library; and the comments of its viewers.
 */
export type SharePart = 'page' | 'player' | 'list' | 'download' | 'logo' | 'comments';

/**
 * The rendition folder of a request for bytes: the rendition's own for clear bytes, the folder of a package (`e2`), or
 * the folder of a play session. No URL serves both clear and encrypted bytes.
 */
export type NamedProtection =
  | { kind: 'clear' }
  | { kind: 'package'; number: number }
  | { kind: 'session'; session: string };

export type MediaFile =
  | { kind: 'multivariant' }
  | { kind: 'rung-playlist'; heightPx: number }
  | { kind: 'rendition-playlist'; renditionId: Guid; session: string | null }
  | { kind: 'init'; renditionId: Guid; protection: NamedProtection }
  | { kind: 'segment'; renditionId: Guid; segment: number; protection: NamedProtection }
  /** A partial segment of a live stream. */
  | { kind: 'part'; renditionId: Guid; segment: number; part: number; protection: NamedProtection }
  | { kind: 'i-frame-playlist'; renditionId: Guid; protection: NamedProtection }
  | { kind: 'i-frame'; renditionId: Guid; startTick: number; protection: NamedProtection }
  /** `system` is null for ClearKey, whose licences the edge itself issues. */
  | { kind: 'licence'; system: DrmSystem | null }
  | { kind: 'fair-play-certificate' }
  | { kind: 'key'; name: string }
  | { kind: 'manifest' }
  /** `heightPx` is null for a download of only the audio. */
  | { kind: 'mp4'; heightPx: number | null }
  | { kind: 'original' }
  | { kind: 'captions'; language: string }
  | { kind: 'captions-playlist'; language: string }
  /** `name` is as in `ImageSet`, or a waveform. */
  | { kind: 'image'; name: string }
  | { kind: 'storyboard' }
  /** A still of a live stream; ms since 1970. */
  | { kind: 'still'; atMs: number };

const SAFE_SEGMENT = /^[A-Za-z0-9._=&%~,+:-]+$/;
const RUNG = /^([1-9]\d{1,4})p$/;
const SEGMENT_FILE = /^(0|[1-9]\d{0,8})\.m4s$/;
const PART_FILE = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,2})\.m4s$/;
const I_FRAME_FILE = /^(0|[1-9]\d{0,14})\.m4s$/;
/** Download of a video without picture. */
export const AUDIO_FILE = 'play_audio.m4a';
/** Waveform of the default audio: its peaks, or an image of them. */
const WAVEFORM_FILE = /^waveform\.(?:json|svg)$/;
const MP4_FILE = /^play_([1-9]\d{1,4})p\.mp4$/;
const CAPTIONS_FILE = /^([A-Za-z0-9_-]{1,35})\.(vtt|m3u8)$/;
const IMAGE_FILE = /^(?:[A-Za-z0-9_-]{1,100}\.(?:jpe?g|png|webp|gif)|preview_hq\.(?:webm|mp4))$/;
const STILL_FILE = /^([1-9]\d{0,14})\.jpg$/;
const SHEET_FILE = /^_(0|[1-9]\d{0,5})\.jpg$/;
const PACKAGE_FOLDER = /^e([1-9]\d{0,8})$/;
const SESSION = /^[A-Za-z0-9_-]{43}$/;
const KEY_FILE = /^[A-Za-z0-9_-]{36,43}$/;
const LICENCE_FILES: Readonly<Record<string, DrmSystem>> = {
  widevine: 'widevine',
  playready: 'playReady',
  fairplay: 'fairPlay',
};
/** Path of a player page with a final slash, as some applications write it. */
const PLAYER_FOLDER = /^\/(?:embed|play)\/[^/]+\/[^/]+\/$/;
const EMBED_CLIENTS: ReadonlyMap<string, 'protocol' | 'element'> = new Map([
  ['/playerjs/playerjs-latest.min.js', 'protocol'],
  // Older pages of the hosted service load this version, which has the same protocol.
  ['/playerjs/player-0.1.0.min.js', 'protocol'],
  ['/playerjs/millrace-player.js', 'element'],
]);
const SHARE_PARTS: readonly SharePart[] = ['page', 'player', 'list', 'download', 'logo', 'comments'];
const LIBRARY_ID = /^[1-9]\d{0,14}$/;

/** People copy links that are truncated or end with punctuation. For such a link, a page explains the problem. */
const MALFORMED_SHARE = { kind: 'share', token: '', part: 'page' } as const;

/**
 * Parses the path of a request, without its path token, into its pull zone, if any, and its target. Returns null for an
 * impossible path. Video ids may lack hyphens, as in the JSON interface. A token signs the path as it was sent.
 */
export function parseEdgePath(path: string): { pathZone: PullZoneName | null; target: EdgeTarget | null } {
  const segments = decodeSegments(PLAYER_FOLDER.test(path) ? path.slice(0, -1) : path);
  if (segments === null) return { pathZone: null, target: path.startsWith('/share/') ? MALFORMED_SHARE : null };
  const [first = '', ...rest] = segments;
  if (first === 'assets') {
    return { pathZone: null, target: rest.length > 0 ? { kind: 'asset', name: rest.join('/') } : null };
  }
  const script = EMBED_CLIENTS.get(path);
  if (script !== undefined) return { pathZone: null, target: { kind: 'embed-client', script } };
  if (first === 'beacons') return { pathZone: null, target: rest.length === 0 ? { kind: 'beacon' } : null };
  if (first === 'embed' || first === 'play') return { pathZone: null, target: parsePlayer(rest, first === 'play') };
  if (first === 'share') return { pathZone: null, target: parseShare(rest) };
  const pathZone = parsePullZoneName(first);
  return { pathZone, target: parseMedia(pathZone === null ? segments : rest) };
}

function parsePlayer(
  [library = '', media = '', tail, ...more]: readonly string[],
  isDirect: boolean,
): EdgeTarget | null {
  const mediaId = readGuid(media);
  if (mediaId === null || !LIBRARY_ID.test(library) || more.length > 0) return null;
  if (tail !== undefined && tail !== 'state') return null;
  return { kind: 'player', libraryId: Number(library), mediaId, wantsState: tail === 'state', isDirect };
}

function parseShare([token = '', tail = 'page', ...more]: readonly string[]): EdgeTarget | null {
  const part = SHARE_PARTS.find((name) => name === tail);
  if (part === undefined || more.length > 0) return null;
  if (SHARE_TOKEN.test(token)) return { kind: 'share', token, part };
  return part === 'page' ? MALFORMED_SHARE : null;
}

function parseMedia(path: readonly string[]): EdgeTarget | null {
  // Applications also use the prefix `live/` for a live stream, and for the video that it becomes.
  const [media = '', ...names] = path[0] === 'live' ? path.slice(1) : path;
  const mediaId = readGuid(media);
  const file = mediaId === null ? null : parseFile(names);
  return mediaId === null || file === null ? null : { kind: 'media', mediaId, file };
}

function parseFile(names: readonly string[]): MediaFile | null {
  const [first = '', second = ''] = names;
  if (names.length === 1) {
    return parseTopFile(first);
  }
  if (names.length === 2) {
    const heightPx = RUNG.exec(first)?.[1];
    if (heightPx !== undefined)
      return second === 'video.m3u8' ? { kind: 'rung-playlist', heightPx: Number(heightPx) } : null;
    if (first === 'license') return parseLicence(second);
    if (first === 'key') return KEY_FILE.test(second) ? { kind: 'key', name: second } : null;
    if (first === 'seek') return parseSeekFile(second);
    const atMs = first === 'thumbnails' ? STILL_FILE.exec(second)?.[1] : undefined;
    if (atMs !== undefined) return { kind: 'still', atMs: Number(atMs) };
    const [, language, type] = (first === 'captions' ? CAPTIONS_FILE.exec(second) : null) ?? [];
    if (language === undefined) return null;
    return { kind: type === 'vtt' ? 'captions' : 'captions-playlist', language: language.replaceAll('_', '-') };
  }
  const renditionId = first === 'r' ? parseGuid(second) : null;
  return renditionId === null ? null : parseRenditionFile(renditionId, names.slice(2));
}

function parseLicence(name: string): MediaFile | null {
  if (name === 'fairplay-certificate') return { kind: 'fair-play-certificate' };
  const system = LICENCE_FILES[name];
  return system === undefined ? null : { kind: 'licence', system };
}

function parseSeekFile(name: string): MediaFile | null {
  if (name === 'thumbnails.vtt') return { kind: 'storyboard' };
  const sheet = SHEET_FILE.exec(name)?.[1];
  return sheet === undefined ? null : { kind: 'image', name: sheetName(Number(sheet)) };
}

function parseTopFile(name: string): MediaFile | null {
  if (name === 'playlist.m3u8' || name === 'live.m3u8') return { kind: 'multivariant' };
  if (name === 'manifest.mpd') return { kind: 'manifest' };
  if (name === 'original') return { kind: 'original' };
  if (name === 'license') return { kind: 'licence', system: null };
  if (name === AUDIO_FILE) return { kind: 'mp4', heightPx: null };
  const heightPx = MP4_FILE.exec(name)?.[1];
  if (heightPx !== undefined) return { kind: 'mp4', heightPx: Number(heightPx) };
  return IMAGE_FILE.test(name) || WAVEFORM_FILE.test(name) ? { kind: 'image', name } : null;
}

function parseRenditionFile(renditionId: Guid, names: readonly string[]): MediaFile | null {
  const protection = parseProtection(names[0] ?? '');
  const [name = '', frame = ''] = protection.kind === 'clear' ? names : names.slice(1);
  const depth = names.length - (protection.kind === 'clear' ? 0 : 1);
  if (depth === 2 && name === 'i') {
    const startTick = I_FRAME_FILE.exec(frame)?.[1];
    return startTick === undefined ? null : { kind: 'i-frame', renditionId, startTick: Number(startTick), protection };
  }
  if (depth !== 1) return null;
  if (name === 'video.m3u8') return parseRenditionPlaylist(renditionId, protection);
  if (name === 'i-frames.m3u8') return { kind: 'i-frame-playlist', renditionId, protection };
  if (name === 'init.mp4') return { kind: 'init', renditionId, protection };
  const [, partOf, part] = PART_FILE.exec(name) ?? [];
  if (partOf !== undefined)
    return { kind: 'part', renditionId, segment: Number(partOf), part: Number(part), protection };
  const segment = SEGMENT_FILE.exec(name)?.[1];
  return segment === undefined ? null : { kind: 'segment', renditionId, segment: Number(segment), protection };
}

/** The folder of a package has no playlist of its own: the rendition's playlist references its contents. */
function parseRenditionPlaylist(renditionId: Guid, protection: NamedProtection): MediaFile | null {
  if (protection.kind === 'package') return null;
  return {
    kind: 'rendition-playlist',
    renditionId,
    session: protection.kind === 'session' ? protection.session : null,
  };
}

function parseProtection(folder: string): NamedProtection {
  const number = PACKAGE_FOLDER.exec(folder)?.[1];
  if (number !== undefined) return { kind: 'package', number: Number(number) };
  return SESSION.test(folder) ? { kind: 'session', session: folder } : { kind: 'clear' };
}

/** Splits and decodes a path. Returns null if a segment is empty or decodes to a separator. */
function decodeSegments(path: string): string[] | null {
  const segments = path.split('/').slice(1);
  if (segments.length === 0 || segments.length > 8) return null;
  const decoded: string[] = [];
  for (const segment of segments) {
    const text = segment.includes('%') ? decode(segment) : segment;
    if (text === null || !SAFE_SEGMENT.test(text)) return null;
    decoded.push(text);
  }
  return decoded;
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
