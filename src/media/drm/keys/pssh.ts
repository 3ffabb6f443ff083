import { type Guid, parseGuid } from '../../../lib/guid.ts';
import { readBoxes, readFields, readVersion, writeFullBox, writeU32 } from '../../bmff/boxes.ts';
import { BrokenMedia } from '../../bmff/broken-media.ts';
import { kidBytes, kidOfBytes } from './content-keys.ts';

/** Header of a protection system (ISO 23001-7 section 8.1). A version 0 box contains no key ids. */
export type Pssh = { systemId: Guid; kids: Guid[]; data: Buffer };

/** Ids of protection systems, as registered with DASH-IF. */
export const SYSTEM_IDS = {
  /** W3C common system, which ClearKey reads in an init segment. */
  common: systemId('1077efec-c0b2-4d02-ace3-3c1e52e2fb4b'),
  /** ClearKey in DASH manifests. */
  clearKey: systemId('e2719d58-a985-b3c9-781a-b030af78d30e'),
  widevine: systemId('edef8ba9-79d6-4ace-a3c8-27dcd51d21ed'),
  playReady: systemId('9a04f079-9840-4286-ab92-e65be0885f95'),
  fairPlay: systemId('94ce86fb-07ff-4f43-adb8-93d2fa968ca2'),
} as const;

/** Writes the version 1 box of the W3C common system, with key ids and no data. */
export function writeCommonPssh(kids: readonly Guid[]): Buffer {
  const ids = kids.map(kidBytes);
  return writeFullBox('pssh', 1, 0, kidBytes(SYSTEM_IDS.common), writeU32(ids.length), ...ids, writeU32(0));
}

/** Parses one pssh box that fills `bytes`. Throws BrokenMedia for anything else. */
export function readPssh(bytes: Buffer): Pssh {
  const [box, second] = readBoxes(bytes);
  if (box?.type !== 'pssh' || second !== undefined) throw new BrokenMedia('Expected exactly one pssh box.');
  const fields = readFields(box);
  const { version } = readVersion(fields);
  const system = kidOfBytes(fields.take(16));
  const kids: Guid[] = [];
  for (let left = version === 0 ? 0 : fields.u32(); left > 0; left -= 1) kids.push(kidOfBytes(fields.take(16)));
  const data = fields.take(fields.u32());
  const leftBytes = fields.left();
  if (leftBytes > 0) throw new BrokenMedia(`Expected a pssh box to end after its data, got ${leftBytes} more bytes.`);
  return { systemId: system, kids, data };
}

function systemId(text: string): Guid {
  const id = parseGuid(text);
  if (id === null) throw new Error(`Expected a system id, got ${text}.`);
  return id;
}
