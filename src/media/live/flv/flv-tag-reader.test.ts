import { expect, test } from 'vitest';
import { BrokenMedia } from '../../bmff/broken-media.ts';
import { FlvTagReader } from './flv-tag-reader.ts';

const AVC_RECORD = '0142c00affe100156742c00ada11ec0440000003004000000c83c489a801000468ce0fc8';

/** Returns the NAL units of a frame as read, in hexadecimal. Null if the frame is left out. */
function read(frame: string, record = AVC_RECORD): string | null {
  const reader = new FlvTagReader();
  const tag = (packet: string, data: string) =>
    reader.read({ type: 9, timestampMs: 0, body: Buffer.from(`17${packet}000000${data}`, 'hex') }, 25);
  tag('00', record);
  const event = tag('01', frame);
  return event?.type === 'unit' ? event.unit.bytes.toString('hex') : null;
}

test.each([
  { title: 'whole units', frame: '000000026501000000016a', left: '000000026501000000016a' },
  { title: 'an empty unit first', frame: '00000000000000026501', left: '000000026501' },
  { title: 'an empty unit last', frame: '00000002650100000000', left: '000000026501' },
  { title: 'trailing bytes', frame: '0000000265010000', left: '000000026501' },
  { title: 'no unit with content', frame: '00000000', left: null },
])('leaves out NAL units without content: $title', ({ frame, left }) => {
  expect(read(frame)).toBe(left);
});

test('reads lengths of two bytes', () => {
  const record = AVC_RECORD.replace('ffe1', 'fde1');
  expect(read('000000026501', record)).toBe('00026501');
});

test('rejects a NAL unit that is longer than its frame', () => {
  expect(() => read('000000036501')).toThrow(BrokenMedia);
});
