import { randomBytes, randomUUID } from 'node:crypto';
import { type Guid, parseGuid } from '../../../lib/guid.ts';
import type { ContentKey, ContentKeys, KeyGroup, SchemeName } from '../../../ports/drm-key-source.ts';

/** All key groups. */
export const KEY_GROUPS: readonly KeyGroup[] = ['audio', 'sd', 'hd'];

const KEY_BYTES = 16;

/** Generates random keys, key ids and IVs for a video. */
export function newContentKeys(scheme: SchemeName): ContentKeys {
  return { scheme, groups: { audio: newContentKey(), sd: newContentKey(), hd: newContentKey() } };
}

/** Returns the key ids of all key groups of a video. */
export function kidsOf({ groups }: ContentKeys): Guid[] {
  return KEY_GROUPS.map((group) => groups[group].kid);
}

/** Returns the 16 bytes of a key id in the order of its text form, as in `tenc` and `pssh`. */
export function kidBytes(kid: Guid): Buffer {
  return Buffer.from(kid.replaceAll('-', ''), 'hex');
}

/** Converts 16 bytes to a key id. Throws on any other length. */
export function kidOfBytes(bytes: Uint8Array): Guid {
  const hex = Buffer.from(bytes).toString('hex');
  const kid = parseGuid(hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'));
  if (kid === null) throw new Error(`Expected a key id of 16 bytes, got ${bytes.length}.`);
  return kid;
}

/** Serialises keys as JSON, which the caller seals before storing it. */
export function formatContentKeys(keys: ContentKeys): string {
  const hex = ({ kid, key, constantIv }: ContentKey) => ({
    ...{ kid, key: key.toString('hex'), constantIv: constantIv.toString('hex') },
  });
  const { audio, sd, hd } = keys.groups;
  return JSON.stringify({ scheme: keys.scheme, audio: hex(audio), sd: hex(sd), hd: hex(hd) });
}

/** Parses the output of `formatContentKeys`. Throws for anything else, without including the text in the error. */
export function parseContentKeys(text: string): ContentKeys {
  const stored = parseJson(text);
  const scheme = field(stored, 'scheme');
  if (scheme !== 'cenc' && scheme !== 'cbcs') throw new Error('Expected stored content keys of scheme cenc or cbcs.');
  const read = (group: KeyGroup): ContentKey => {
    const entry = field(stored, group);
    const kid = parseGuid(String(field(entry, 'kid')));
    if (kid === null) throw new Error(`Expected a key id in the stored key of group ${group}.`);
    return { kid, key: sixteenBytes(entry, 'key'), constantIv: sixteenBytes(entry, 'constantIv') };
  };
  return { scheme, groups: { audio: read('audio'), sd: read('sd'), hd: read('hd') } };
}

/** Parses JSON. Replaces the error of `JSON.parse`, which would include a part of the keys. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('Expected stored content keys in JSON.');
  }
}

function newContentKey(): ContentKey {
  const kid = parseGuid(randomUUID());
  if (kid === null) throw new Error('Expected randomUUID to return a GUID.');
  return { kid, key: randomBytes(KEY_BYTES), constantIv: randomBytes(KEY_BYTES) };
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : null;
}

function sixteenBytes(entry: unknown, name: string): Buffer {
  const bytes = Buffer.from(String(field(entry, name)), 'hex');
  if (bytes.length !== KEY_BYTES) throw new Error(`Expected ${KEY_BYTES} bytes of ${name} in stored content keys.`);
  return bytes;
}
