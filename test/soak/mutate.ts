import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Random } from '../support/seeded-random.ts';

/** Damages the bytes of a file. The same seed causes the same damage. */
export type Mutator = { name: string; mutate(bytes: Buffer, random: Random): Promise<Buffer> };

/** Fractions of the bits that are flipped: from light damage to an almost unreadable file. */
const RATIOS = ['0.00002', '0.0001', '0.0004', '0.002', '0.01', '0.04'];

/** Returns Debian's zzuf if it is installed, or else our own mutator. */
export function findMutator(): Mutator {
  const path = process.env.PATH ?? '';
  const isThere = path.split(delimiter).some((folder) => canRun(join(folder, 'zzuf')));
  return isThere ? { name: 'zzuf', mutate: byZzuf } : { name: 'our own mutator', mutate: byHand };
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function byZzuf(bytes: Buffer, random: Random): Promise<Buffer> {
  const ratio = RATIOS[random.below(RATIOS.length)] ?? '0.001';
  const seed = String(random.below(2 ** 31));
  return new Promise((resolve, reject) => {
    const options = { encoding: 'buffer' as const, maxBuffer: 2 ** 28 };
    const child = execFile('zzuf', ['-s', seed, '-r', ratio], options, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`Expected zzuf to damage ${bytes.length} bytes.`, { cause: error }));
    });
    child.stdin?.end(bytes);
  });
}

/** Flips bits, and sometimes truncates the file, zeroes a range, or moves a range to a different offset. */
export async function byHand(bytes: Buffer, random: Random): Promise<Buffer> {
  const damaged = Buffer.from(bytes);
  const ratio = Number(RATIOS[random.below(RATIOS.length)]);
  const turns = Math.max(1, Math.round(damaged.length * 8 * ratio));
  for (let turn = 0; turn < turns; turn += 1) {
    const at = random.below(damaged.length);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << random.below(8));
  }
  switch (random.below(6)) {
    case 0:
      return damaged.subarray(0, random.between(1, damaged.length));
    case 1:
      damaged.fill(0, ...piece(damaged, random));
      return damaged;
    case 2:
      damaged.copy(damaged, random.below(damaged.length), ...piece(damaged, random));
      return damaged;
    default:
      return damaged;
  }
}

function piece(bytes: Buffer, random: Random): [number, number] {
  const from = random.below(bytes.length);
  return [from, Math.min(bytes.length, from + random.between(1, 20_000))];
}
