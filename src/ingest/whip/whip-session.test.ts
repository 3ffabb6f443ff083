import { expect, test } from 'vitest';
import { UNREADABLE } from '../../media/live/publishing/publisher.ts';
import { EncoderBudget } from '../../media/live/publishing/run-publisher-media.ts';
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
const PPS = Buffer.from('68ce3c80', 'hex');

/** Returns an RTP packet. All packets belong to one frame. */
function packet(sequence: number, payload: Buffer, isMarked: boolean): Buffer {
  const head = Buffer.from([0x80, (isMarked ? 0x80 : 0) | 102, 0, sequence, 0, 0, 0, 0, 0, 0, 0, 7]);
  return Buffer.concat([head, payload]);
}

test('disconnects a publisher whose media makes the receiver throw and reads nothing more from it', async () => {
  const seen: string[] = [];
  const input = {
    push: () => {
      throw new RangeError('The media consumer failed.');
    },
    relay: () => undefined,
    leaveOut: () => undefined,
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
  const slice = Buffer.alloc(100, 0x65);
  [SPS, PPS, slice, slice].forEach((payload, index) => {
    (events as PeerEvents | null)?.message(packet(index, payload, payload === slice));
  });
  expect(seen).toEqual(['reported: RangeError', `ended: ${UNREADABLE}`, 'closed']);
});

test('ends once, closes its peer, and ends media that is attached later', async () => {
  const seen: string[] = [];
  const peer = {
    ...{ answer: '', addCandidate: () => undefined, send: () => undefined },
    close: () => void seen.push('peer closed'),
  };
  let signal = new AbortController().signal;
  const deps = {
    open: async (...args: [string, PeerEvents, AbortSignal]) => {
      signal = args[2];
      return peer;
    },
    ...{ budget: new EncoderBudget(0), report: () => undefined },
  };
  const { session } = await WhipSession.start(OFFER, deps, () => void seen.push('closed'));
  expect(signal.aborted).toBe(false);
  session.end('the publisher left', 'publisher');
  session.end('the server stops', 'server');
  expect(seen).toEqual(['peer closed', 'closed']);
  expect(signal.aborted).toBe(true);
  session.attach({
    ...{ push: () => undefined, relay: () => undefined, leaveOut: () => undefined },
    end: (reason: string) => void seen.push(`ended: ${reason}`),
  });
  expect(seen.at(-1)).toBe('ended: the publisher left');
});
