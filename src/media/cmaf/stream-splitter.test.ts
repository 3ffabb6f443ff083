import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writeBox } from '../bmff/boxes.ts';
import { BrokenMedia } from '../bmff/broken-media.ts';
import { createStreamSplitter, type StreamPart } from './stream-splitter.ts';

const ftyp = writeBox('ftyp', Buffer.from('iso6'));
const moov = writeBox('moov', Buffer.alloc(40, 1));
const styp = writeBox('styp', Buffer.from('msdh'));
const moof = (mark: number): Buffer => writeBox('moof', Buffer.alloc(20, mark));
const mdat = (sizeBytes: number): Buffer => writeBox('mdat', Buffer.alloc(sizeBytes, 7));
const largeMdat = Buffer.concat([Buffer.from('000000016d6461740000000000000020', 'hex'), Buffer.alloc(16, 9)]);
const free = writeBox('free', Buffer.alloc(5));
const mfra = writeBox('mfra', Buffer.alloc(30));

const init = Buffer.concat([ftyp, moov]);
const fragments = [
  Buffer.concat([moof(1), mdat(300)]),
  Buffer.concat([moof(2), free, largeMdat]),
  Buffer.concat([moof(3), mdat(0)]),
];
const stream = Buffer.concat([init, fragments[0] ?? ftyp, styp, fragments[1] ?? ftyp, fragments[2] ?? ftyp, mfra]);

function split(pieces: readonly Buffer[], maxPartBytes?: number): StreamPart[] {
  const splitter = createStreamSplitter(maxPartBytes);
  const parts = pieces.flatMap((piece) => splitter.push(piece));
  splitter.end();
  return parts;
}

function cut(bytes: Buffer, offsets: readonly number[]): Buffer[] {
  const borders = [0, ...offsets.toSorted((left, right) => left - right), bytes.length];
  return borders.slice(1).map((end, index) => bytes.subarray(borders[index], end));
}

describe('a stream splitter', () => {
  test('returns the same parts, however the stream is split', () => {
    const expected = [{ kind: 'init', bytes: init }, ...fragments.map((bytes) => ({ kind: 'fragment', bytes }))];
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length), { maxLength: 30 }), (offsets) => {
        expect(split(cut(stream, offsets))).toEqual(expected);
      }),
    );
    expect(split([...stream].map((byte) => Buffer.of(byte)))).toEqual(expected);
  });

  test('returns a part when its last byte arrives', () => {
    const splitter = createStreamSplitter();
    expect(splitter.push(init.subarray(0, -1))).toEqual([]);
    expect(splitter.push(init.subarray(-1))).toEqual([{ kind: 'init', bytes: init }]);
  });

  test('rejects an oversized part as soon as its size is known', () => {
    const splitter = createStreamSplitter(1000);
    splitter.push(init);
    const head = Buffer.concat([moof(1), Buffer.from('7fffffff6d646174', 'hex')]);
    expect(() => splitter.push(head)).toThrow("Expected box 'mdat' to end within 1000 bytes, got 2147483675 bytes.");
  });

  test.each([
    { what: 'a fragment before the init segment', bytes: [moof(1), mdat(1), init] },
    { what: 'a second init segment', bytes: [init, moov] },
    { what: 'an mdat without a moof', bytes: [init, mdat(4)] },
    { what: 'two moofs in a row', bytes: [init, moof(1), moof(2)] },
    { what: 'a box of unknown size', bytes: [init, Buffer.from('000000006d6f6f66', 'hex')] },
    { what: 'a box smaller than its own header', bytes: [init, Buffer.from('000000076d6f6f66', 'hex')] },
    { what: 'a stream that stops inside a part', bytes: [init, moof(1), mdat(9).subarray(0, 12)] },
    { what: 'a stream that stops between moof and mdat', bytes: [init, moof(1)] },
    { what: 'an empty stream', bytes: [] },
  ])('rejects $what', ({ bytes }) => {
    expect(() => split(bytes)).toThrow(BrokenMedia);
  });

  test('returns parts or throws BrokenMedia for any bytes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(ftyp, moov, moof(1), mdat(3), free), fc.uint8Array({ maxLength: 24 }))),
        (boxes) => {
          try {
            const parts = split(
              boxes.map((bytes) => Buffer.from(bytes)),
              4096,
            );
            expect(parts[0]?.kind).toBe('init');
          } catch (error) {
            expect(error).toBeInstanceOf(BrokenMedia);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
