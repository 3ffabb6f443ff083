import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Amf0, BadAmf, readAmf0, writeAmf0 } from './amf0.ts';
import { BadRtmp, ChunkReader, type RtmpMessage, writeChunks } from './chunk-stream.ts';

const LIMITS = { messageBytes: 64 * 1024 };
const message = (body: Buffer, timestampMs = 0): RtmpMessage => ({ type: 9, timestampMs, streamId: 1, body });

test('reassembles messages of any length from reads of any size', () => {
  const lengths = fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 8 });
  // From 2^24 - 1 on, a timestamp has its own field.
  const starts = fc.constantFrom(0, 2 ** 24 - 2, 2 ** 24 - 1, 2 ** 31, 2 ** 32 - 50);
  fc.assert(
    fc.property(lengths, fc.integer({ min: 1, max: 400 }), starts, (sizes, step, startMs) => {
      const sent = sizes.map((size, index) => message(Buffer.alloc(size, index), (startMs + index * 40) >>> 0));
      const wire = Buffer.concat(sent.map((one) => writeChunks(one, 6, 128)));
      const reader = new ChunkReader(LIMITS);
      const came: RtmpMessage[] = [];
      for (let at = 0; at < wire.length; at += step) came.push(...reader.push(wire.subarray(at, at + step)));
      expect(came).toEqual(sent);
      expect(reader.heldBytes).toBe(0);
    }),
    { numRuns: 100 },
  );
});

test('accepts continued chunks with and without the extended timestamp', () => {
  const body = Buffer.alloc(200, 7);
  const header = Buffer.alloc(16);
  header.writeUInt8(6, 0);
  header.writeUIntBE(0xffffff, 1, 3);
  header.writeUIntBE(body.length, 4, 3);
  header.writeUInt8(9, 7);
  header.writeUInt32LE(1, 8);
  header.writeUInt32BE(0x1000000, 12);
  const next = Buffer.from([0xc6]);
  for (const repeated of [header.subarray(12), Buffer.alloc(0)]) {
    const wire = Buffer.concat([header, body.subarray(0, 128), next, repeated, body.subarray(128)]);
    expect(new ChunkReader(LIMITS).push(wire)).toEqual([message(body, 0x1000000)]);
  }
});

test('rejects or ignores random bytes within the memory limit', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 2_000 }), { maxLength: 40 }), (pieces) => {
      const reader = new ChunkReader(LIMITS);
      try {
        for (const piece of pieces) reader.push(Buffer.from(piece));
      } catch (error) {
        expect(error).toBeInstanceOf(BadRtmp);
      }
      expect(reader.heldBytes).toBeLessThan(64 * LIMITS.messageBytes);
    }),
    { numRuns: 200 },
  );
});

test('AMF0 values survive a round trip, and damaged bytes throw BadAmf', () => {
  const value: fc.Arbitrary<Amf0> = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constant(null),
      fc.boolean(),
      fc.double({ noNaN: true }),
      fc.string({ maxLength: 50 }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(
        fc.string({ minLength: 1, maxLength: 8 }).filter((name) => name !== '__proto__'),
        tie('value'),
        {
          maxKeys: 4,
        },
      ),
    ),
  })).value as fc.Arbitrary<Amf0>; // `letrec` types its members as unknown.
  fc.assert(
    fc.property(value, (one) => {
      expect(JSON.stringify(readAmf0(writeAmf0(one)))).toBe(JSON.stringify([one]));
    }),
    { numRuns: 100 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      try {
        readAmf0(Buffer.from(bytes));
      } catch (error) {
        expect(error).toBeInstanceOf(BadAmf);
      }
    }),
    { numRuns: 500 },
  );
});
