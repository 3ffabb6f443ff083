import type { DrmPackage } from '../../catalog/drm/drm-package.ts';
import type { Publication, StoredRendition } from '../../catalog/publications/publication.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import { findScheme } from '../../media/drm/encryption/all.ts';
import { encryptInit } from '../../media/drm/encryption/encrypt-init.ts';
import { openTrackCipher, type TrackCipher } from '../../media/drm/encryption/track-cipher.ts';
import { kidsOf, parseContentKeys } from '../../media/drm/keys/content-keys.ts';
import type { ContentKeys } from '../../ports/drm-key-source.ts';
import { HeldCache } from '../cache/held-cache.ts';

/** A rendition with an init segment, so that its media can be encrypted. */
export type OpenedRendition = StoredRendition & { init: Buffer };

/** Properties of a rendition that its encryption needs. */
export type KeyedRendition = Pick<OpenedRendition, 'id' | 'kind' | 'init' | 'keyGroup' | 'ivPrefix'>;

/** A rendition of a video and the package that delivers it. */
export type PackagedTrack = { publication: Publication; packaged: DrmPackage; rendition: KeyedRendition };

const KEYS_BYTES = 600;
const CIPHER_BYTES = 4_000;
const KEYS_CACHE_BYTES = 2 * 2 ** 20;
const CIPHER_CACHE_BYTES = 8 * 2 ** 20;
const INIT_CACHE_BYTES = 4 * 2 ** 20;

/** Decrypts the sealed keys of packages. Caches a bounded number of keys and of values derived from them. */
export class PackageKeys {
  readonly #secretBox: SecretBox;
  readonly #keys = new HeldCache<ContentKeys>('keys', KEYS_CACHE_BYTES, () => KEYS_BYTES);
  readonly #ciphers = new HeldCache<TrackCipher>('cipher', CIPHER_CACHE_BYTES, () => CIPHER_BYTES);
  readonly #inits = new HeldCache<Buffer>('encrypted-init', INIT_CACHE_BYTES, (bytes) => bytes.length);

  constructor(secretBox: SecretBox) {
    this.#secretBox = secretBox;
  }

  async keysOf({ libraryId, mediaId }: Publication, { number, keysSealed }: DrmPackage): Promise<ContentKeys> {
    const open = () => parseContentKeys(this.#secretBox.open(keysSealed));
    return this.#keys.get(`${libraryId}|${mediaId}|${number}`, open);
  }

  async cipherOf(track: PackagedTrack): Promise<TrackCipher> {
    const { init, keyGroup, ivPrefix } = track.rendition;
    return this.#ciphers.get(nameOf(track), async () => {
      const { scheme, groups } = await this.keysOf(track.publication, track.packaged);
      return openTrackCipher(init, { scheme: findScheme(scheme), key: groups[keyGroup], ivPrefix });
    });
  }

  /** Returns the init segment that precedes encrypted segments. */
  async initOf(track: PackagedTrack): Promise<Buffer> {
    const { init, keyGroup } = track.rendition;
    return this.#inits.get(nameOf(track), async () => {
      const keys = await this.keysOf(track.publication, track.packaged);
      const boxes = track.packaged.signals.filter(({ group }) => group === keyGroup);
      return encryptInit(init, {
        scheme: findScheme(keys.scheme),
        key: keys.groups[keyGroup],
        videoKids: kidsOf(keys),
        psshBoxes: boxes.flatMap(({ pssh }) => (pssh === null ? [] : [pssh])),
      });
    });
  }
}

/** Returns the name of a rendition in a package. Rendition ids and package numbers are never reused. */
export function nameOf({ rendition, packaged }: Omit<PackagedTrack, 'publication'>): string {
  return `${rendition.id}|e${packaged.number}`;
}
