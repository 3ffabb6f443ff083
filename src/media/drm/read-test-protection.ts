import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import { normaliseInit } from '../cmaf/init-segment.ts';
import { encode, FRAGMENTED, splitStream } from '../cmaf/read-test-media.ts';
import { writeFragment } from '../cmaf/write-fragment.ts';
import type { ContentKey } from './content-keys.ts';

/** A clear rendition: its init segment, and segments of one fragment each. */
export type ClearRendition = { init: Buffer; segments: Buffer[] };

/** Encodes a test pattern (H.264 with B-frames and three slices) or a tone (AAC) to segments of about a second. */
export async function encodeRendition(kind: 'video' | 'audio', durationSec: number): Promise<ClearRendition> {
  const video = ['testsrc2=s=320x180:r=24', '-c:v', 'libx264', '-threads', '1', '-g', '24', '-x264-params', 'slices=3'];
  const audio = ['sine=440:r=48000', '-c:a', 'aac', '-ac', '2', '-frag_duration', '1000000'];
  const args = kind === 'video' ? video : audio;
  return splitRendition(await encode(['-f', 'lavfi', '-t', `${durationSec}`, '-i', ...args, ...FRAGMENTED]));
}

/** Cuts a fragmented stream into a normal init segment and segments of one fragment each. */
export function splitRendition(stream: Buffer): ClearRendition {
  const { init, fragments } = splitStream(stream);
  return {
    init: normaliseInit(init),
    segments: fragments.map((fragment) => writeFragment(fragment, fragment.payload)),
  };
}

/** Reads a file's packets with mediabunny, an independent reader, which decrypts with the key where it is asked to. */
export async function readPackets(file: Buffer, key: ContentKey | null): Promise<{ atSec: number; data: Buffer }[]> {
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
