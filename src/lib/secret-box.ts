import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts secrets that must be readable later. The sealed form is: version byte, 12-byte nonce, 16-byte tag,
 * ciphertext.
 */
export type SecretBox = { seal(plain: string): Buffer; open(sealed: Uint8Array): string };

/** Thrown if the data was sealed with another key or is damaged. */
export class WrongSecretKey extends Error {
  constructor(cause: unknown) {
    super('A sealed secret cannot be opened: it was sealed with another key, or is damaged.', { cause });
    this.name = 'WrongSecretKey';
  }
}

/**
 * Creates a box with AES-256-GCM and a 32-byte key (NIST SP 800-38D). `open` throws `WrongSecretKey` if the key or the
 * bytes do not match.
 */
export function createSecretBox(key: Uint8Array): SecretBox {
  if (key.byteLength !== 32) throw new Error(`Expected a secret key of 32 bytes, got ${key.byteLength}.`);
  return {
    seal(plain) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.from([VERSION]), iv, cipher.getAuthTag(), body]);
    },
    open(sealed) {
      if (sealed[0] !== VERSION) throw new Error(`Expected a sealed secret of version ${VERSION}, got ${sealed[0]}.`);
      const bytes = Buffer.from(sealed);
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + IV_BYTES));
      decipher.setAuthTag(bytes.subarray(1 + IV_BYTES, 1 + IV_BYTES + TAG_BYTES));
      const plain = decipher.update(bytes.subarray(1 + IV_BYTES + TAG_BYTES), undefined, 'utf8');
      try {
        return plain + decipher.final('utf8');
      } catch (error) {
        throw new WrongSecretKey(error);
      }
    },
  };
}
