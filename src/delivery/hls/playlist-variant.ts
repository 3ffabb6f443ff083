import type { DrmPackage } from '../../catalog/drm/drm-package.ts';
import type { StoredRendition } from '../../catalog/publications/publication.ts';
import { BYTES_ADDED_BY_PADDING, bytesAddedBy } from '../../media/drm/encryption/added-bytes.ts';
import type { HlsKey } from '../../media/drm/signalling/hls-key.ts';
import { hlsKeys, type KeySystem } from '../../media/drm/signalling/signalling.ts';
import { systemHlsKeys, systemSessionKeys } from '../../media/drm/signalling/system-signals.ts';
import type { PlaylistAddresses } from '../../media/hls/multivariant.ts';
import { type AddedBytes, NOTHING_ADDED } from '../../media/presentation/segment-run.ts';
import type { ContentKeys } from '../../ports/drm-key-source.ts';

/** Differences between playlists of one publication that result from its delivery. */
export type PlaylistVariant = {
  /** Distinguishes the texts in caches and ETags. */
  tag: string;
  /** Relative to a rendition's folder: empty or ending in `/`. */
  segmentFolder: string;
  addresses: PlaylistAddresses;
  /** Bytes that are added to segments on delivery. */
  added(rendition: Pick<StoredRendition, 'kind'>): AddedBytes;
  /** Whether single pictures are listed. */
  listsIFrames: boolean;
  /** The keys (EXT-X-SESSION-KEY) of those renditions. */
  sessionKeys(renditions: readonly Pick<StoredRendition, 'keyGroup'>[]): HlsKey[];
  /** The keys (EXT-X-KEY) of a rendition; `toVideo` leads from the playlist to the video's folder. */
  keys(rendition: Pick<StoredRendition, 'keyGroup'>, toVideo: string): HlsKey[];
  /** Inserts the parts that differ between viewers; null if the text is the same for all. */
  fill: ((text: string) => string) | null;
};

export const SESSION_TAG = '-s';

/** Placeholder for the text that `fill` inserts. None of our URLs contains braces. */
const GAP = '{gap}';

export const CLEAR_VARIANT: PlaylistVariant = {
  tag: '',
  segmentFolder: '',
  addresses: { media: (id) => `r/${id}/video.m3u8`, iFrames: (id) => `r/${id}/i-frames.m3u8` },
  added: () => NOTHING_ADDED,
  listsIFrames: true,
  sessionKeys: () => [],
  keys: () => [],
  fill: null,
};

/** For a package: players that support Encrypted Media Extensions, or another system that a key server signalled. */
export function packageVariant({ number, signals }: DrmPackage, keys: ContentKeys): PlaylistVariant {
  const folder = packageFolder(number);
  const isOurs = signals.length === 0;
  return {
    ...CLEAR_VARIANT,
    tag: `-e${number}`,
    segmentFolder: folder,
    added: ({ kind }) => bytesAddedBy(keys.scheme, kind),
    addresses: { ...CLEAR_VARIANT.addresses, iFrames: (id) => `r/${id}/${folder}i-frames.m3u8` },
    sessionKeys: (renditions) => {
      const groups = new Set(renditions.map(({ keyGroup }) => keyGroup));
      return systemSessionKeys(signals.filter(({ group }) => groups.has(group)));
    },
    keys: (rendition) => {
      if (isOurs) return keysOf(keys, rendition, { name: 'clearKey', licenceUrl: '' });
      const { scheme, groups } = keys;
      const { keyGroup } = rendition;
      const said = signals.filter(({ group }) => group === keyGroup);
      return systemHlsKeys({ scheme, kid: groups[keyGroup].kid }, said);
    },
  };
}

/**
 * For a package: players that fetch raw keys (`?drm=identity`), like Shaka Player with ClearKey in HLS. `query` (the
 * viewer's token, or empty) is added to every URL below.
 */
export function identityVariant({ number }: DrmPackage, keys: ContentKeys, query: string): PlaylistVariant {
  const requested = query === '' ? '' : `&${query}`;
  return {
    tag: `-e${number}i`,
    segmentFolder: packageFolder(number),
    added: ({ kind }) => bytesAddedBy(keys.scheme, kind),
    addresses: { ...CLEAR_VARIANT.addresses, media: (id) => `r/${id}/video.m3u8?drm=identity${GAP}` },
    listsIFrames: false,
    sessionKeys: () => [],
    keys: (rendition, toVideo) => {
      const keyUrl = `${toVideo}key/${keys.groups[rendition.keyGroup].kid}?drm=identity${GAP}`;
      return keysOf(keys, rendition, { name: 'identity', keyUrl });
    },
    fill: (text) => text.replaceAll(GAP, requested),
  };
}

/** For a play session: whole segments encrypted with the session's key. */
export function sessionVariant(session: string): PlaylistVariant {
  return {
    tag: SESSION_TAG,
    segmentFolder: `${GAP}/`,
    added: () => BYTES_ADDED_BY_PADDING,
    addresses: { ...CLEAR_VARIANT.addresses, media: (id) => `r/${id}/${GAP}/video.m3u8` },
    listsIFrames: false,
    sessionKeys: () => [],
    // After EXT-X-MAP the init segment is read as clear: without an IV an encrypted one is not allowed.
    keys: (_, toVideo) => [{ method: 'AES-128', uri: `${toVideo}key/${GAP}` }],
    fill: (text) => text.replaceAll(GAP, session),
  };
}

/** Returns the folder, within a rendition's, of the bytes that a package's keys decrypt. */
export function packageFolder(number: number): string {
  return `e${number}/`;
}

function keysOf(
  { scheme, groups }: ContentKeys,
  { keyGroup }: Pick<StoredRendition, 'keyGroup'>,
  system: KeySystem,
): HlsKey[] {
  return hlsKeys({ scheme, kid: groups[keyGroup].kid }, [system]);
}
