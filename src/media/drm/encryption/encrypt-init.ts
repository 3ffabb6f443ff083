import type { Guid } from '../../../lib/guid.ts';
import type { ContentKey } from '../../../ports/drm-key-source.ts';
import { type Box, childBoxes, readBoxes, writeBox, writeFullBox, writeU32 } from '../../bmff/boxes.ts';
import { BrokenMedia } from '../../bmff/broken-media.ts';
import { readInitSegment } from '../../cmaf/init-segment.ts';
import { kidBytes } from '../keys/content-keys.ts';
import { readPssh, writeCommonPssh } from '../keys/pssh.ts';
import type { ProtectionScheme } from './protection-scheme.ts';

/**
 * Protection of an init segment. `videoKids` are the key ids of all key groups of the video: hls.js sends one ClearKey
 * request, for the first init segment that it loads, and never requests the keys of the other tracks. `psshBoxes` are
 * the complete boxes of additional systems, in order.
 */
export type InitProtection = {
  scheme: ProtectionScheme;
  key: ContentKey;
  videoKids: readonly Guid[];
  psshBoxes: readonly Buffer[];
};

const STSD_PATH = ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd'];
const STSD_HEAD_BYTES = 8;
const SCHEME_VERSION = 0x10000;

/**
 * Rewrites a clear init segment for encrypted fragments (ISO 23001-7 sections 4 and 8). The sample entry becomes `encv`
 * or `enca` with a sinf (frma, schm, schi, tenc). The moov ends with the common pssh box, from which ClearKey reads the
 * key ids, and the given boxes. Throws BrokenMedia for a damaged or already encrypted init segment and for an invalid
 * pssh box.
 */
export function encryptInit(init: Buffer, protection: InitProtection): Buffer {
  const { handler } = readInitSegment(init);
  if (!protection.videoKids.includes(protection.key.kid)) {
    throw new Error(
      `Expected key ${protection.key.kid} among the keys of the video, got ${protection.videoKids.join(', ')}.`,
    );
  }
  for (const box of protection.psshBoxes) readPssh(box);
  const psshBoxes = [writeCommonPssh(protection.videoKids), ...protection.psshBoxes];
  const isVideo = handler === 'video';
  return Buffer.concat(
    readBoxes(init).map((box) => {
      if (box.type !== 'moov') return init.subarray(box.start, box.end);
      const moov = rewriteBox(box, STSD_PATH.slice(1), (stsd) => protectEntry(stsd, isVideo, protection));
      return writeBox('moov', moov.subarray(8), ...psshBoxes);
    }),
  );
}

/** Copies a box and replaces the inner box at `path`. */
function rewriteBox(box: Box, path: readonly string[], replace: (target: Box) => Buffer): Buffer {
  const [next, ...rest] = path;
  if (next === undefined) return replace(box);
  const children = childBoxes(box).map((child) =>
    child.type === next ? rewriteBox(child, rest, replace) : child.bytes.subarray(child.start, child.end),
  );
  return writeBox(box.type, ...children);
}

function protectEntry(stsd: Box, isVideo: boolean, protection: InitProtection): Buffer {
  const [entry] = childBoxes(stsd, STSD_HEAD_BYTES);
  if (entry === undefined) throw new BrokenMedia('Expected a sample entry in stsd, found none.');
  const sinf = writeBox(
    'sinf',
    writeBox('frma', Buffer.from(entry.type, 'latin1')),
    writeFullBox('schm', 0, 0, Buffer.from(protection.scheme.name, 'latin1'), writeU32(SCHEME_VERSION)),
    writeBox('schi', writeTenc(isVideo, protection)),
  );
  const body = entry.bytes.subarray(entry.payloadStart, entry.end);
  return writeFullBox('stsd', 0, 0, writeU32(1), writeBox(isVideo ? 'encv' : 'enca', body, sinf));
}

/** Writes the defaults of all samples, as version 1 if there is a pattern to store (section 8.2). */
function writeTenc(isVideo: boolean, { scheme, key }: InitProtection): Buffer {
  const pattern = isVideo ? scheme.videoPattern : null;
  const patternByte = pattern === null ? 0 : pattern.cryptBlocks * 16 + pattern.skipBlocks;
  const constantIv = scheme.sampleIvBytes === 0 ? [Buffer.from([key.constantIv.length]), key.constantIv] : [];
  const fixed = Buffer.from([0, patternByte, 1, scheme.sampleIvBytes]);
  return writeFullBox('tenc', pattern === null ? 0 : 1, 0, fixed, kidBytes(key.kid), ...constantIv);
}
