import type { DrmPackage } from '../../catalog/drm/drm-package.ts';
import type { StoredRendition } from '../../catalog/publications/publication.ts';
import { BYTES_ADDED_BY_PADDING, bytesAddedBy } from '../../media/drm/encryption/added-bytes.ts';
import type { HlsKey } from '../../media/drm/signalling/hls-key.ts';
import { hlsKeys, type KeySystem } from '../../media/drm/signalling/signalling.ts';
import { systemHlsKeys, systemSessionKeys } from '../../media/drm/signalling/system-signals.ts';
import type { PlaylistAddresses } from '../../media/hls/multivariant.ts';
import { type AddedBytes, NOTHING_ADDED } from '../../media/presentation/segment-run.ts';
import type { ContentKeys } from '../../ports/drm-key-source.ts';

/** Differences between playlists of one publication that depend on how its segments are delivered. */
export type PlaylistVariant = {
  /** Distinguishes the variants in caches and ETags. */
  tag: string;
  /** Path relative to the rendition's folder. It is empty or ends with `/`. */
  segmentFolder: string;
  addresses: PlaylistAddresses;
  /** Returns the bytes that delivery adds to segments. */
  added(rendition: Pick<StoredRendition, 'kind'>): AddedBytes;
  /** Whether I-frame playlists are listed. */
  listsIFrames: boolean;
  /** Returns the keys (EXT-X-SESSION-KEY) of the renditions. */
  sessionKeys(renditions: readonly Pick<StoredRendition, 'keyGroup'>[]): HlsKey[];
  /**
   * Returns the keys (EXT-X-KEY) of a rendition. `toVideo` is the relative path from the playlist to the video's
   * folder.
   */
  keys(rendition: Pick<StoredRendition, 'keyGroup'>, toVideo: string): HlsKey[];
  /** Inserts the parts that differ between viewers. Null if the text is the same for all viewers. */
  fill: ((text: string) => string) | null;
};

export const SESSION_TAG = '-s';

/** Placeholder for the text that `fill` inserts. No URL of ours contains braces. */
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

/**
 * Returns the variant of a package for players that support Encrypted Media Extensions, or another DRM system that a
 * key server signalled.
 */
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
 * Returns the variant of a package for players that fetch raw keys (`?drm=identity`), like Shaka Player with ClearKey
 * in HLS. `query` (the viewer's token, or empty) is added to every URL in the playlist.
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

/** Returns the variant of a play session, whose key encrypts whole segments. */
export function sessionVariant(session: string): PlaylistVariant {
  return {
    tag: SESSION_TAG,
    segmentFolder: `${GAP}/`,
    added: () => BYTES_ADDED_BY_PADDING,
    addresses: { ...CLEAR_VARIANT.addresses, media: (id) => `r/${id}/${GAP}/video.m3u8` },
    listsIFrames: false,
    sessionKeys: () => [],
    // The key follows EXT-X-MAP, so players read the init segment as clear. HLS forbids an encrypted init segment
    // without an IV.
    keys: (_, toVideo) => [{ method: 'AES-128', uri: `${toVideo}key/${GAP}` }],
    fill: (text) => text.replaceAll(GAP, session),
  };
}

/** Returns the subfolder of a rendition in which its bytes are encrypted with the keys of a package. */
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
