import { createHmac, type KeyObject } from 'node:crypto';

/** Registers of a sketch: 2^11 count to within 2.3 % (standard error 1.04 / sqrt(2048)). */
const BITS = 11;
const REGISTERS = 2 ** BITS;
/** Bits of a hash after those that choose the register; the first set bit determines the rank. */
const RANK_BITS = 48 - BITS;
const ALPHA = 0.7213 / (1 + 1.079 / REGISTERS);

/**
 * A viewer's change to a sketch: one register, and its minimum rank. Nothing else of an address is stored: 17 bits that
 * thousands of others share.
 */
export type SketchPoint = { register: number; rank: number };

/**
 * Returns a viewer's point, from a hash with the salt of the day. `viewer` consists of the library, the address and the
 * User-Agent.
 */
export function sketchPoint(salt: KeyObject, viewer: string): SketchPoint {
  const hash = createHmac('sha256', salt).update(viewer).digest();
  const value = hash.readUIntBE(2, 6);
  const register = Math.floor(value / 2 ** RANK_BITS);
  const rest = value % 2 ** RANK_BITS;
  return { register, rank: rest === 0 ? RANK_BITS + 1 : RANK_BITS - Math.floor(Math.log2(rest)) };
}

/**
 * Returns the sketch with viewers added; adding one twice changes nothing. An empty buffer is a sketch without viewers.
 */
export function addToSketch(registers: Buffer, points: readonly SketchPoint[]): Buffer {
  const sketch = Buffer.alloc(REGISTERS);
  registers.copy(sketch);
  for (const { register, rank } of points) sketch[register] = Math.max(sketch[register] ?? 0, rank);
  return sketch;
}

/**
 * Returns the number of distinct viewers in a sketch: HyperLogLog, by the count of empty registers if there are many.
 */
export function countViewers(registers: Buffer): number {
  if (registers.length === 0) return 0;
  let sum = 0;
  let empty = 0;
  for (const rank of registers) {
    sum += 2 ** -rank;
    if (rank === 0) empty += 1;
  }
  const raw = (ALPHA * REGISTERS * REGISTERS) / sum;
  const isSmall = raw <= 2.5 * REGISTERS && empty > 0;
  return Math.round(isSmall ? REGISTERS * Math.log(REGISTERS / empty) : raw);
}
