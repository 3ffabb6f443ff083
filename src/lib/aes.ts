import { createCipheriv, createSecretKey } from 'node:crypto';

export type AesMode = 'cbc' | 'ctr';

/** Encrypts bytes where they stand, from `iv` (16 bytes) on. In cbc a rest below 16 bytes stays as it is. */
export type EncryptInPlace = (bytes: Buffer, iv: Buffer) => void;

/** Opens AES-128 for a key of 16 bytes. */
export function openAes(mode: AesMode, key: Buffer): EncryptInPlace {
  // A cipher made from bare bytes costs ten times as much.
  const secret = createSecretKey(key);
  return (bytes, iv) => bytes.set(createCipheriv(`aes-128-${mode}`, secret, iv).update(bytes));
}
