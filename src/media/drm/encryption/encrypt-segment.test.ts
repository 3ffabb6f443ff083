import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import { describe, expect, test } from 'vitest';
import { encode, FRAGMENTED } from '../../../../test/support/media/read-test-media.ts';
import {
  type ClearRendition,
  encodeRendition,
  encodeSlices,
  encryptCopy,
  splitRendition,
} from '../../../../test/support/media/read-test-protection.ts';
import type { ContentKey, SchemeName } from '../../../ports/drm-key-source.ts';
import { childBoxes, findBox, readBoxes, requireBox } from '../../bmff/boxes.ts';
import { BrokenMedia } from '../../bmff/broken-media.ts';
import { readFragment } from '../../cmaf/fragment.ts';
import { kidBytes, kidsOf, newContentKeys } from '../keys/content-keys.ts';
import { readPssh, SYSTEM_IDS, writeCommonPssh } from '../keys/pssh.ts';
import { findScheme, PROTECTION_SCHEMES } from './all.ts';
import { encryptInit } from './encrypt-init.ts';
import { measureEncrypted } from './encrypt-segment.ts';
import { openTrackCipher } from './track-cipher.ts';

/** Each frame has too many slices for one subsample per slice: a senc entry may have at most 255 bytes (saiz). */
const manySlices = await encodeSlices(64);
const renditions = { video: await encodeRendition('video', 2), audio: await encodeRendition('audio', 2) };
const cases = PROTECTION_SCHEMES.flatMap(({ name }) => [
  { scheme: name, kind: 'video' as const },
  { scheme: name, kind: 'audio' as const },
]);

function protect(rendition: ClearRendition, name: SchemeName, ivPrefix = 7) {
  const scheme = findScheme(name);
  const key = newContentKeys(name).groups.hd;
  const cipher = openTrackCipher(rendition.init, { scheme, key, ivPrefix });
  const init = encryptInit(rendition.init, { scheme, key, videoKids: [key.kid], psshBoxes: [] });
  const segments = rendition.segments.map((segment, number) => encryptCopy(segment, { cipher, number }));
  return { key, cipher, init, segments };
}

/** Returns the IV of every sample in a fragment's senc box, as hexadecimal text. */
function readIvs(segment: Buffer): string[] {
  const senc = requireBox(readBoxes(segment), 'moof', 'traf', 'senc');
  const count = segment.readUInt32BE(senc.payloadStart + 4);
  const hasSubsamples = segment.readUInt32BE(senc.payloadStart) === 2;
  let at = senc.payloadStart + 8;
  return Array.from({ length: count }, () => {
    const iv = segment.toString('hex', at, at + 8);
    at += 8 + (hasSubsamples ? 2 + 6 * segment.readUInt16BE(at + 8) : 0);
    return iv;
  });
}

/** Reads a file's packets with mediabunny, an independent reader, which decrypts them with the key, if given. */
async function readPackets(file: Buffer, key: ContentKey | null): Promise<{ atSec: number; data: Buffer }[]> {
  const resolveKeyId = ({ keyId }: { keyId: string }): Uint8Array => {
    if (key === null || keyId !== key.kid.replaceAll('-', '')) throw new Error(`Expected a known key, got ${keyId}.`);
    return key.key;
  };
  const source = new BufferSource(new Uint8Array(file));
  const input = new Input({ source, formats: ALL_FORMATS, formatOptions: { isobmff: { resolveKeyId } } });
  const [track] = await input.getTracks();
  if (track === undefined) throw new Error('Expected a track.');
  const packets: { atSec: number; data: Buffer }[] = [];
  for await (const packet of new EncodedPacketSink(track).packets()) {
    packets.push({ atSec: packet.timestamp, data: Buffer.from(packet.data) });
  }
  return packets;
}

describe.each(cases)('$kind encrypted with $scheme', ({ scheme, kind }) => {
  const clear = renditions[kind];

  test('decrypts to the same packets in an independent reader', async () => {
    const { key, init, segments } = protect(clear, scheme);
    const packets = await readPackets(Buffer.concat([init, ...segments]), key);
    expect(packets.length).toBeGreaterThan(40);
    expect(packets).toEqual(await readPackets(Buffer.concat([clear.init, ...clear.segments]), null));
  });

  test('no longer contains the clear bytes of any sample', () => {
    const { segments } = protect(clear, scheme);
    segments.forEach((segment, index) => {
      const before = readFragment(clear.segments[index] ?? Buffer.alloc(0));
      const after = readFragment(segment);
      expect(after.samples).toEqual(before.samples);
      let at = 0;
      for (const { sizeBytes } of before.samples) {
        const isSame = before.payload.subarray(at, at + sizeBytes).equals(after.payload.subarray(at, at + sizeBytes));
        // Samples smaller than a slice header and one block have nothing to protect.
        if (sizeBytes > 200) expect(isSame).toBe(false);
        at += sizeBytes;
      }
    });
  });

  test('returns the same bytes each time, with the measured size', () => {
    const { cipher, segments } = protect(clear, scheme);
    const measured = clear.segments.map((segment, number) => measureEncrypted(segment, { cipher, number }));
    expect(measured).toEqual(segments.map(({ length }) => length));
    expect(clear.segments.map((segment, number) => encryptCopy(segment, { cipher, number }))).toEqual(segments);
  });

  test('returns the same bytes for a whole segment and for single fragments', () => {
    const { cipher } = protect(clear, scheme);
    const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = clear.segments;
    const firstSample = readFragment(first).samples.length;
    expect(encryptCopy(Buffer.concat([first, second]), { cipher, number: 5 })).toEqual(
      Buffer.concat([
        encryptCopy(first, { cipher, number: 5 }),
        encryptCopy(second, { cipher, number: 5, firstSample }),
      ]),
    );
  });

  test('locates its encryption data from the moof', () => {
    const { segments } = protect(clear, scheme);
    for (const segment of segments) {
      const moof = requireBox(readBoxes(segment), 'moof');
      const traf = childBoxes(requireBox(moof, 'traf'));
      const senc = requireBox(traf, 'senc');
      const saio = findBox(traf, 'saio');
      // Audio in cbcs has neither IVs nor subsamples, so its entries are empty and need no location.
      expect(saio === null).toBe(scheme === 'cbcs' && kind === 'audio');
      if (saio === null) continue;
      expect(moof.start + segment.readUInt32BE(saio.payloadStart + 8)).toBe(senc.payloadStart + 8);
    }
  });

  test('is rejected if it is damaged', () => {
    const { cipher } = protect(clear, scheme);
    const segment = clear.segments[0] ?? Buffer.alloc(0);
    expect(() => encryptCopy(segment.subarray(0, -1), { cipher, number: 0 })).toThrow(BrokenMedia);
    expect(() => encryptCopy(Buffer.alloc(0), { cipher, number: 0 })).toThrow('Expected a fragment in the segment');
  });
});

test.each(cases)('$kind encrypted with $scheme is the same for any buffer headroom', ({ scheme, kind }) => {
  const { cipher } = protect(renditions[kind], scheme);
  const segment = Buffer.concat(renditions[kind].segments);
  const position = { cipher, number: 5 };
  const expected = encryptCopy(segment, position);
  for (const headroomBytes of [0, 1, 700, 5_000])
    expect(encryptCopy(segment, position, headroomBytes)).toEqual(expected);
});

describe('frames with too many slices', () => {
  test.each(PROTECTION_SCHEMES)(
    'can be decrypted by an independent reader after $name encrypted as many slices as possible',
    async ({ name }) => {
      const { key, init, segments } = protect(manySlices, name);
      const packets = await readPackets(Buffer.concat([init, ...segments]), key);
      expect(packets).toHaveLength(72);
      expect(packets).toEqual(await readPackets(Buffer.concat([manySlices.init, ...manySlices.segments]), null));
      const encrypted = await readPackets(Buffer.concat([manySlices.init, ...segments]), null);
      expect(encrypted[0]?.data.equals(packets[0]?.data ?? Buffer.alloc(0))).toBe(false);
    },
  );
});

describe('initialisation vectors', () => {
  test('are never reused with the same key', () => {
    const scheme = findScheme('cenc');
    const key = newContentKeys('cenc').groups.sd;
    const ivs = [3, 4].flatMap((ivPrefix) => {
      const cipher = openTrackCipher(renditions.video.init, { scheme, key, ivPrefix });
      return renditions.video.segments.flatMap((segment, number) => readIvs(encryptCopy(segment, { cipher, number })));
    });
    expect(ivs).toHaveLength(96);
    expect(new Set(ivs).size).toBe(96);
  });
});

describe('an encrypted init segment', () => {
  test.each(cases)('contains $scheme, its key id for $kind and the headers of all systems', ({ scheme, kind }) => {
    const keys = newContentKeys(scheme);
    const key = keys.groups.hd;
    const other = writeCommonPssh([newContentKeys(scheme).groups.sd.kid]);
    const protection = { scheme: findScheme(scheme), key, videoKids: kidsOf(keys), psshBoxes: [other] };
    const init = encryptInit(renditions[kind].init, protection);
    const moov = requireBox(readBoxes(init), 'moov');
    const headers = childBoxes(moov).filter((box) => box.type === 'pssh');
    expect(headers.map((box) => readPssh(Buffer.from(init.subarray(box.start, box.end))))).toEqual([
      { systemId: SYSTEM_IDS.common, kids: kidsOf(keys), data: Buffer.alloc(0) },
      readPssh(other),
    ]);
    expect(init.includes(kind === 'video' ? 'encv' : 'enca')).toBe(true);
    expect(init.includes(`schm\0\0\0\0${scheme}\0\x01\0\0`)).toBe(true);
    const tenc = init.indexOf('tenc');
    const [version, pattern] = [init.readUInt8(tenc + 4), init.readUInt8(tenc + 9)];
    expect([version, pattern]).toEqual(scheme === 'cbcs' && kind === 'video' ? [1, 0x19] : [0, 0]);
    expect(init.subarray(tenc + 12, tenc + 28)).toEqual(kidBytes(key.kid));
    expect(init.readUInt8(tenc + 11)).toBe(scheme === 'cenc' ? 8 : 0);
  });

  test('cannot be encrypted twice', () => {
    const { init, cipher } = protect(renditions.video, 'cenc');
    const protection = { scheme: cipher.scheme, key: cipher.key, videoKids: [cipher.key.kid], psshBoxes: [] };
    expect(() => encryptInit(init, protection)).toThrow(BrokenMedia);
  });

  test('rejects an invalid header and the key of a different video', () => {
    const { scheme, key } = protect(renditions.video, 'cenc').cipher;
    const foreign = { scheme, key, videoKids: [key.kid], psshBoxes: [Buffer.from('no box at all')] };
    expect(() => encryptInit(renditions.video.init, foreign)).toThrow(BrokenMedia);
    const others = { scheme, key, videoKids: kidsOf(newContentKeys('cenc')), psshBoxes: [] };
    expect(() => encryptInit(renditions.video.init, others)).toThrow('among the keys of the video');
  });
});

test.each([
  { codec: 'vp09', args: ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8'] },
  { codec: 'hev1', args: ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none'] },
])('reports the unsupported codec $codec', async ({ codec, args }) => {
  const source = ['-f', 'lavfi', '-i', 'testsrc2=s=160x96:r=10:d=0.4'];
  const { init } = splitRendition(await encode([...source, ...args, ...FRAGMENTED]));
  const protection = { scheme: findScheme('cenc'), key: newContentKeys('cenc').groups.sd, ivPrefix: 0 };
  expect(() => openTrackCipher(init, protection)).toThrow(`Expected H.264 video to encrypt, got ${codec}`);
});
