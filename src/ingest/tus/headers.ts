import type { IncomingHttpHeaders } from 'node:http';
import { type Guid, parseGuid } from '../../lib/guid.ts';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';

export const TUS_VERSION = '1.0.0';
const MAX_METADATA_CHARS = 4096;
const MAX_METADATA_KEYS = 32;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Limits of a creation: maximum size of a file in bytes, and maximum number of partial uploads in a final upload. */
export type CreationLimits = { maxBytes: number; maxParts: number };

/** Metadata fields by name, and the header as sent by the client, or null if absent. */
type SentMetadata = { metadata: Record<string, string>; metadataHeader: string | null };

/** An upload whose bytes have yet to arrive. `lengthBytes` is null if the client sets it later. */
export type OpenCreation = SentMetadata & { kind: 'whole' | 'partial'; lengthBytes: number | null };

/** The final upload of existing parts. `concat` is `Upload-Concat` as sent by the client. */
export type FinalCreation = SentMetadata & { kind: 'final'; concat: string; partIds: Guid[] };

export type TusChecksum = { algorithm: 'sha1'; digest: Buffer };

/**
 * Reads the headers of a creation (tus 1.0.0: creation, creation-defer-length, concatenation). Throws `Refused` if the
 * length is malformed, above the limit, or missing without `Upload-Defer-Length: 1`, or if a final upload has either
 * header.
 */
export function readCreation(headers: IncomingHttpHeaders, limits: CreationLimits): OpenCreation | FinalCreation {
  const sent = text(headers, 'upload-metadata');
  const metadata = { metadata: readMetadata(sent), metadataHeader: sent === '' ? null : sent };
  const concat = headers['upload-concat'] === undefined ? null : text(headers, 'upload-concat');
  if (concat === null || concat === 'partial') {
    const kind = concat === null ? 'whole' : 'partial';
    return { kind, lengthBytes: readLength(headers, { kind, maxBytes: limits.maxBytes }), ...metadata };
  }
  if (!concat.startsWith('final;')) {
    throw new Refused(
      'invalid',
      `Expected Upload-Concat to be "partial" or "final;" and URLs of partial uploads, got ${quote(concat)}.`,
    );
  }
  if (headers['upload-length'] !== undefined || headers['upload-defer-length'] !== undefined) {
    throw new Refused(
      'invalid',
      'Expected a final upload without Upload-Length and Upload-Defer-Length. Its parts determine its length.',
    );
  }
  return { kind: 'final', concat, partIds: readPartIds(concat.slice('final;'.length), limits.maxParts), ...metadata };
}

/** Reads `Upload-Length` of a PATCH, which sets a deferred length. Returns null if absent. */
export function readLateLength(headers: IncomingHttpHeaders, maxBytes: number): number | null {
  if (headers['upload-length'] === undefined) return null;
  const lengthBytes = readCount(headers, 'upload-length');
  if (lengthBytes === null) throw noLength(headers);
  if (lengthBytes > maxBytes) throw tooLong(lengthBytes, maxBytes);
  return lengthBytes;
}

/** Returns whether a request has a body according to its headers. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Reads `Upload-Offset` of a PATCH. */
export function readOffset(headers: IncomingHttpHeaders): number {
  const offset = readCount(headers, 'upload-offset');
  if (offset !== null) return offset;
  const got = headers['upload-offset'] === undefined ? 'none' : quote(text(headers, 'upload-offset'));
  throw new Refused('invalid', `Expected the header Upload-Offset to be a number of bytes, got ${got}.`);
}

/**
 * Reads `Upload-Checksum: sha1 <base64>` (tus 1.0.0, checksum). Returns null if absent. Throws `Refused` if the
 * algorithm is not sha1.
 */
export function readChecksum(headers: IncomingHttpHeaders): TusChecksum | null {
  const value = text(headers, 'upload-checksum');
  if (value === '') return null;
  const [algorithm, encoded = ''] = value.split(' ');
  const digest = Buffer.from(encoded, 'base64');
  if (algorithm !== 'sha1' || digest.byteLength !== 20) {
    throw new Refused(
      'invalid',
      `Expected the header Upload-Checksum to be "sha1" and 20 bytes in base64, got ${quote(value)}.`,
    );
  }
  return { algorithm, digest };
}

/** Parses `name base64, name base64`. Skips invalid pairs, because real clients send such pairs. */
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

function readLength(
  headers: IncomingHttpHeaders,
  { kind, maxBytes }: { kind: 'whole' | 'partial'; maxBytes: number },
): number | null {
  const defer = headers['upload-defer-length'];
  if (defer !== undefined) {
    if (text(headers, 'upload-defer-length') !== '1') {
      throw new Refused('invalid', `Expected Upload-Defer-Length to be 1, got ${quote(String(defer))}.`);
    }
    if (text(headers, 'upload-length') === '') return null;
    throw new Refused('invalid', 'Expected either Upload-Length or Upload-Defer-Length, got both.');
  }
  const lengthBytes = readCount(headers, 'upload-length');
  if (lengthBytes === null) throw noLength(headers);
  if (lengthBytes === 0 && kind === 'whole') {
    throw new Refused('invalid', 'Expected a file, got an Upload-Length of 0.');
  }
  if (lengthBytes > maxBytes) throw tooLong(lengthBytes, maxBytes);
  return lengthBytes;
}

function noLength(headers: IncomingHttpHeaders): Refused {
  const got = headers['upload-length'] === undefined ? 'none' : quote(text(headers, 'upload-length'));
  return new Refused(
    'invalid',
    `Expected the header Upload-Length to be the size of the file in bytes, got ${got}. ` +
      'Send Upload-Defer-Length: 1 if it is not known yet.',
  );
}

function tooLong(lengthBytes: number, maxBytes: number): Refused {
  return new Refused('too-large', `Expected at most ${maxBytes} bytes, got an Upload-Length of ${lengthBytes}.`);
}

/** Parses absolute or relative URLs whose last part is an upload id. */
function readPartIds(list: string, maxParts: number): Guid[] {
  const addresses = list.split(' ').filter((address) => address !== '');
  if (addresses.length === 0 || addresses.length > maxParts) {
    throw new Refused(
      'invalid',
      `Expected 1 to ${maxParts} partial uploads in Upload-Concat, got ${addresses.length}.`,
    );
  }
  const ids = addresses.map((address) => {
    const id = parseGuid(/\/tusupload\/([^/?#]+)\/?$/i.exec(address)?.[1] ?? '');
    if (id !== null) return id;
    throw new Refused('invalid', `Expected URLs of partial uploads in Upload-Concat, got ${quote(address)}.`);
  });
  if (new Set(ids).size === ids.length) return ids;
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  throw new Refused('invalid', `Expected each partial upload once in Upload-Concat, got ${repeated} more than once.`);
}

function readCount(headers: IncomingHttpHeaders, name: string): number | null {
  const value = text(headers, name);
  return /^\d{1,15}$/.test(value) ? Number(value) : null;
}

function text(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value.trim() : '';
}
