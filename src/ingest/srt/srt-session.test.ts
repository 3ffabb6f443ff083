import { expect, test } from 'vitest';
import { TsWriter } from '../../../test/support/media/ts-writer.ts';
import { EncoderBudget } from '../../media/live/publishing/run-publisher-media.ts';
import { SrtSession } from './srt-session.ts';

const START = Buffer.from([0, 0, 1]);
const SPS = Buffer.from('6742c00ada11ec0440000003004000000c83c489a8', 'hex');
const PPS = Buffer.from('68ce3c80', 'hex');

test('disconnects a caller whose media makes the receiver throw and reads nothing more from it', () => {
  const seen: string[] = [];
  const input = {
    push: () => {
      throw new RangeError('The media consumer failed.');
    },
    relay: () => undefined,
    leaveOut: () => undefined,
    end: (reason: string) => void seen.push(`ended: ${reason}`),
  };
  const session: SrtSession = new SrtSession(input, {
    budget: new EncoderBudget(0),
    report: ({ cause }) => void seen.push(`reported: ${cause instanceof Error ? cause.name : cause}`),
    close: (reason) => session.end(reason),
  });
  const writer = new TsWriter({ video: 27, audio: null });
  const payload = Buffer.concat([START, SPS, START, PPS, START, Buffer.alloc(100, 0x65)]);
  const pictures = [0, 1, 2].flatMap((at) => writer.pes('video', { pts: at * 3_600, dts: null, payload }));
  for (const packet of [...writer.tables(), ...pictures]) session.take(packet);
  expect(seen).toEqual(['reported: RangeError', 'ended: the media could not be processed']);
});
