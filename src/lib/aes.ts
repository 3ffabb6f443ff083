import { createCipheriv, createSecretKey } from 'node:crypto';

export type AesMode = 'cbc' | 'ctr';

/** Encrypts bytes in place, starting with `iv` (16 bytes). In cbc a remainder below 16 bytes stays clear. */
export type EncryptInPlace = (bytes: Buffer, iv: Buffer) => void;

/** Opens AES-128 for a key of 16 bytes. */
export function openAes(mode: AesMode, key: Buffer): EncryptInPlace {
  // A cipher made from raw bytes is ten times as expensive.
  const secret = createSecretKey(key);
  return (bytes, iv) => bytes.set(createCipheriv(`aes-128-${mode}`, secret, iv).update(bytes));
}
