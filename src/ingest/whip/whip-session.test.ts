import { expect, test } from 'vitest';
import { EncoderBudget } from '../../media/live/run-publisher-media.ts';
import type { PeerEvents } from './peer.ts';
import { WhipSession } from './whip-session.ts';

const OFFER = [
  'v=0',
  'm=video 9 UDP/TLS/RTP/SAVPF 102',
  'a=mid:0',
  'a=rtpmap:102 H264/90000',
  'a=fmtp:102 packetization-mode=1;profile-level-id=42e01f',
].join('\r\n');
const SPS = Buffer.from('6742c00ada11ec0440000003004000000c83c489a8', 'hex');
/** Fragments of 1 KiB: together they are a PPS that is longer than the record of a decoder can say. */
const PPS_PIECES = 70;

/** A packet of RTP; all are of one picture. */
function packet(sequence: number, payload: Buffer, isMarked: boolean): Buffer {
  const head = Buffer.from([0x80, (isMarked ? 0x80 : 0) | 102, 0, sequence, 0, 0, 0, 0, 0, 0, 0, 7]);
  return Buffer.concat([head, payload]);
}

test('a publisher whose packets make a reader fail is disconnected, and nothing more of it is read', async () => {
  const seen: string[] = [];
  const input = {
    push: () => void seen.push('pushed'),
    relay: () => undefined,
    end: (reason: string) => void seen.push(`ended: ${reason}`),
  };
  let events: PeerEvents | null = null;
  const peer = { answer: '', addCandidate: () => undefined, send: () => undefined, close: () => undefined };
  const deps = {
    open: async (_: string, opened: PeerEvents) => {
      events = opened;
      return peer;
    },
    budget: new EncoderBudget(0),
    report: ({ cause }: Error) => void seen.push(`reported: ${cause instanceof Error ? cause.name : cause}`),
  };
  const { session } = await WhipSession.start(OFFER, deps, () => void seen.push('closed'));
  session.attach(input);
  const pieces = Array.from({ length: PPS_PIECES }, (_, at) => {
    const place = at === 0 ? 0x80 : at === PPS_PIECES - 1 ? 0x40 : 0;
    return Buffer.concat([Buffer.from([0x7c, place | 8]), Buffer.alloc(1_024)]);
  });
  const slice = Buffer.alloc(100, 0x65);
  [SPS, ...pieces, slice, slice].forEach((payload, at) => {
    (events as PeerEvents | null)?.message(packet(at, payload, payload === slice));
  });
  expect(seen).toEqual(['reported: RangeError', 'ended: what came could not be taken', 'closed']);
});
