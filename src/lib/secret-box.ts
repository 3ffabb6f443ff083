import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Length in bytes of a secret key (AES-256). */
export const SECRET_KEY_BYTES = 32;
const ID_CHARS = 12;

/**
 * Encrypts secrets that must be readable later. The sealed form is: version byte, 12-byte nonce, 16-byte tag,
 * ciphertext.
 */
export type SecretBox = { seal(plain: string): Buffer; open(sealed: Uint8Array): string };

/** Keys of a box. The first one seals, and each of them opens. */
export type SecretKeys = readonly [Uint8Array, ...Uint8Array[]];

/** Thrown if the data was sealed with another key or is damaged. */
export class WrongSecretKey extends Error {
  constructor(cause: unknown) {
    super('A sealed secret cannot be opened: it was sealed with another key, or is damaged.', { cause });
    this.name = 'WrongSecretKey';
  }
}

/** Returns the public name of a secret key: 12 hexadecimal digits that reveal nothing about it. */
export function secretKeyId(key: Uint8Array): string {
  return createHmac('sha256', key).update('millrace secret key id').digest('hex').slice(0, ID_CHARS);
}

/**
 * Creates a box with AES-256-GCM (NIST SP 800-38D) and 32-byte keys. `open` throws `WrongSecretKey` if no key matches
 * or the bytes are damaged.
 */
export function createSecretBox(...keys: SecretKeys): SecretBox {
  return boxOf(() => keys);
}

/** Creates a box whose keys may change while it is in use. */
export function boxOf(keysNow: () => SecretKeys): SecretBox {
  for (const key of keysNow()) requireKey(key);
  return {
    seal(plain) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', keysNow()[0], iv);
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.from([VERSION]), iv, cipher.getAuthTag(), body]);
    },
    open(sealed) {
      if (sealed[0] !== VERSION) throw new Error(`Expected a sealed secret of version ${VERSION}, got ${sealed[0]}.`);
      let failure: unknown = null;
      for (const key of keysNow()) {
        try {
          return openWith(key, Buffer.from(sealed));
        } catch (error) {
          failure = error;
        }
      }
      throw new WrongSecretKey(failure);
    },
  };
}

function requireKey(key: Uint8Array): void {
  if (key.byteLength === SECRET_KEY_BYTES) return;
  throw new Error(`Expected a secret key of ${SECRET_KEY_BYTES} bytes, got ${key.byteLength}.`);
}

function openWith(key: Uint8Array, bytes: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + IV_BYTES));
  decipher.setAuthTag(bytes.subarray(1 + IV_BYTES, 1 + IV_BYTES + TAG_BYTES));
  const plain = decipher.update(bytes.subarray(1 + IV_BYTES + TAG_BYTES), undefined, 'utf8');
  return plain + decipher.final('utf8');
}
