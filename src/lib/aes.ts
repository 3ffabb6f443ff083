import { createCipheriv, createSecretKey } from 'node:crypto';

export type AesMode = 'cbc' | 'ctr';

/** Encrypts bytes in place, starting with `iv` (16 bytes). In cbc, a remainder shorter than 16 bytes stays clear. */
export type EncryptInPlace = (bytes: Buffer, iv: Buffer) => void;

/** Opens AES-128 with a key of 16 bytes. */
export function openAes(mode: AesMode, key: Buffer): EncryptInPlace {
  // Creating a cipher from raw key bytes costs ten times as much.
  const secret = createSecretKey(key);
  return (bytes, iv) => bytes.set(createCipheriv(`aes-128-${mode}`, secret, iv).update(bytes));
}
