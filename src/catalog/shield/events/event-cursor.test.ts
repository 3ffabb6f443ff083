import { expect, test } from 'vitest';
import { readCursor, writeCursor } from './event-cursor.ts';

const secret = Buffer.alloc(32, 7);
const position = { zoneId: 5, day: '2026-11-22', afterSeq: 123_456_789 };

test('a page token restores its position only in its own zone and day, and is rejected if altered', () => {
  const token = writeCursor(position, secret);
  expect(readCursor(token, position, [secret])).toEqual(position);
  // During a rotation of the secret key, tokens of both keys are valid.
  expect(readCursor(token, position, [Buffer.alloc(32, 8), secret])).toEqual(position);
  expect(readCursor(token, { ...position, zoneId: 6 }, [secret])).toBeNull();
  expect(readCursor(token, { ...position, day: '2026-11-23' }, [secret])).toBeNull();
  expect(readCursor(token, position, [Buffer.alloc(32, 8)])).toBeNull();
  for (let index = 0; index < token.length; index += 1) {
    const changed = `${token.slice(0, index)}${token[index] === 'A' ? 'B' : 'A'}${token.slice(index + 1)}`;
    expect(readCursor(changed, position, [secret])).toBeNull();
  }
  expect([readCursor('', position, [secret]), readCursor('%%%', position, [secret])]).toEqual([null, null]);
});
