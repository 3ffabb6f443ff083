import { setting } from './setting.ts';

export type KeySettings = {
  /** Replaces the generated key if set. */
  accountKey: string | null;
  libraryKey: string | null;
  /** 32 bytes that encrypt the secrets in the database; null: read from the data folder. */
  secretKey: Uint8Array | null;
};

const key = setting('a key of 8 to 128 visible ASCII characters without spaces', parseKey, { isSecret: true });

export const keySchema = {
  MILLRACE_ACCOUNT_KEY: key,
  MILLRACE_LIBRARY_KEY: key,
  MILLRACE_SECRET_KEY: setting('32 bytes in base64', parseSecretKey, { isSecret: true }),
};

export function keySettings(texts: Partial<Record<keyof typeof keySchema, string>>): KeySettings {
  return {
    accountKey: parseKey(texts.MILLRACE_ACCOUNT_KEY ?? ''),
    libraryKey: parseKey(texts.MILLRACE_LIBRARY_KEY ?? ''),
    secretKey: parseSecretKey(texts.MILLRACE_SECRET_KEY ?? ''),
  };
}

function parseKey(text: string): string | null {
  return /^[\x21-\x7e]{8,128}$/.test(text) ? text : null;
}

function parseSecretKey(text: string): Uint8Array | null {
  return /^[A-Za-z0-9+/]{43}=$/.test(text) ? Buffer.from(text, 'base64') : null;
}
