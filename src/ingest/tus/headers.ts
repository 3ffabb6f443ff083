import type { IncomingHttpHeaders } from 'node:http';
import { Refused } from '../../lib/refused.ts';

export const TUS_VERSION = '1.0.0';
const MAX_METADATA_CHARS = 4096;
const MAX_METADATA_KEYS = 32;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** What a creation request says of the file: its length and what the client chose to say. */
export type TusCreation = { lengthBytes: number; metadata: Record<string, string> };

export type TusChecksum = { algorithm: 'sha1'; digest: Buffer };

/**
 * Reads `Upload-Length` and `Upload-Metadata` (tus 1.0.0, creation). Refuses a length that is absent, zero or above
 * `maxBytes`, and a part of a parallel upload: joining them (concatenation) is not among the extensions.
 */
export function readCreation(headers: IncomingHttpHeaders, maxBytes: number): TusCreation {
  if (headers['upload-concat'] !== undefined) {
    throw new Refused(
      'invalid',
      'Expected a whole file, got a part of one (Upload-Concat). Send the file as one upload, not in parallel.',
    );
  }
  const lengthBytes = readCount(headers, 'upload-length');
  if (lengthBytes === null) {
    throw new Refused('invalid', 'Expected the header Upload-Length to hold the size of the file in bytes.');
  }
  if (lengthBytes === 0) throw new Refused('invalid', 'Expected a file, got an Upload-Length of 0.');
  if (lengthBytes > maxBytes) {
    throw new Refused('too-large', `Expected at most ${maxBytes} bytes, got an Upload-Length of ${lengthBytes}.`);
  }
  return { lengthBytes, metadata: readMetadata(text(headers, 'upload-metadata')) };
}

/** Reads `Upload-Offset` of a PATCH. */
export function readOffset(headers: IncomingHttpHeaders): number {
  const offset = readCount(headers, 'upload-offset');
  if (offset === null) throw new Refused('invalid', 'Expected the header Upload-Offset to hold a count of bytes.');
  return offset;
}

/** Reads `Upload-Checksum: sha1 <base64>` (tus 1.0.0, checksum); absent is null, another algorithm is refused. */
export function readChecksum(headers: IncomingHttpHeaders): TusChecksum | null {
  const value = text(headers, 'upload-checksum');
  if (value === '') return null;
  const [algorithm, encoded = ''] = value.split(' ');
  const digest = Buffer.from(encoded, 'base64');
  if (algorithm !== 'sha1' || digest.byteLength !== 20) {
    throw new Refused('invalid', 'Expected the header Upload-Checksum to hold "sha1" and 20 bytes in base64.');
  }
  return { algorithm, digest };
}

/** `name base64, name base64`; a pair that cannot be read is left out, since real clients send junk. */
export function readMetadata(value: string): Record<string, string> {
  if (value.length > MAX_METADATA_CHARS) {
    throw new Refused(
      'invalid',
      `Expected Upload-Metadata of at most ${MAX_METADATA_CHARS} characters, got ${value.length}.`,
    );
  }
  const metadata: Record<string, string> = {};
  for (const pair of value.split(',').slice(0, MAX_METADATA_KEYS)) {
    const [spelt = '', encoded = ''] = pair.trim().split(/ +/);
    const name = spelt.toLowerCase();
    if (/^[a-z0-9_-]{1,64}$/.test(name) && name !== '__proto__' && BASE64.test(encoded)) {
      metadata[name] = Buffer.from(encoded, 'base64').toString('utf8').replaceAll('\0', '');
    }
  }
  return metadata;
}

function readCount(headers: IncomingHttpHeaders, name: string): number | null {
  const value = text(headers, name);
  return /^\d{1,15}$/.test(value) ? Number(value) : null;
}

function text(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value.trim() : '';
}
