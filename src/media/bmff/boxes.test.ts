import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { childBoxes, findBox, readBoxes, readFields, requireBox, writeBox, writeFullBox, writeU32 } from './boxes.ts';
import { BrokenMedia } from './broken-media.ts';

const inner = writeFullBox('tfdt', 1, 0xabcdef, writeU32(0x1fffff, 0xffffffff));
const outer = writeBox('moof', writeBox('free'), writeBox('traf', inner));

describe('boxes', () => {
  test('are found by path', () => {
    const found = requireBox(readBoxes(outer), 'moof', 'traf', 'tfdt');
    expect(outer.subarray(found.start, found.end)).toEqual(inner);
    expect(findBox(readBoxes(outer), 'moof', 'trak', 'tfdt')).toBeNull();
    expect(() => requireBox(readBoxes(outer), 'moof', 'trak')).toThrow('Expected a box moof/trak, found none.');
  });

  test('may have a 64-bit size or extend to the end', () => {
    const wide = Buffer.from('0000000166726565000000000000001261620000000077696465', 'hex');
    expect(readBoxes(wide).map(({ type, payloadStart, end }) => [type, payloadStart, end])).toEqual([
      ['free', 16, 18],
      ['wide', 26, 26],
    ]);
  });

  test.each([
    { what: 'a size past the end', hex: '0000000966726565' },
    { what: 'a size smaller than the header', hex: '0000000766726565' },
    { what: 'a 64-bit size smaller than the header', hex: '0000000166726565000000000000000f' },
    { what: 'a 64-bit size above 2^53', hex: '00000001667265650020000000000000' },
    { what: 'a truncated header', hex: '00000010667265' },
    { what: 'a truncated 64-bit header', hex: '000000016672656500000000' },
  ])('with $what are rejected', ({ hex }) => {
    expect(() => readBoxes(Buffer.from(hex, 'hex'))).toThrow(BrokenMedia);
  });

  test('cover any bytes without a gap or are rejected', () => {
    const piece = fc.oneof(fc.uint8Array({ maxLength: 20 }), fc.constantFrom(outer, inner, writeBox('free')));
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const bytes = Buffer.concat(pieces);
        try {
          const boxes = readBoxes(bytes);
          expect(boxes.map((box) => box.start)).toEqual(
            [0, ...boxes.slice(0, -1).map((box) => box.end)].slice(0, boxes.length),
          );
          expect(boxes.at(-1)?.end ?? 0).toBe(bytes.length);
        } catch (error) {
          expect(error).toBeInstanceOf(BrokenMedia);
        }
      }),
    );
  });
});

describe('the fields of a box', () => {
  test('are read in order and not past the end of the box', () => {
    const [box] = readBoxes(Buffer.concat([inner, writeBox('more')]));
    if (box === undefined) throw new Error('Expected a box.');
    const fields = readFields(box);
    expect(fields.u32()).toBe(0x01abcdef);
    expect(fields.u64()).toBe(Number.MAX_SAFE_INTEGER);
    expect(fields.left()).toBe(0);
    expect(() => fields.u8()).toThrow("Expected 1 more bytes in box 'tfdt', got 0.");
    expect(() => fields.take(4)).toThrow(BrokenMedia);
  });

  test('above 2^53 are rejected', () => {
    const bytes = writeBox('tfdt', writeU32(0x200000, 0));
    const [box] = readBoxes(bytes);
    if (box === undefined) throw new Error('Expected a box.');
    expect(() => readFields(box).u64()).toThrow('Expected a number below 2^53');
    expect(() => childBoxes(box)).toThrow(BrokenMedia);
  });
});
