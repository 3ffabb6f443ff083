/** Random integers from a seed (mulberry32). A failed run can be repeated with its seed. */
export type Random = { below(limit: number): number; between(from: number, to: number): number };

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { below, between: (from, to) => from + below(to - from) };
}

/** Returns `MILLRACE_FAULT_SEED`, or the default. Put it in the test's title so that it is printed. */
export function faultSeed(usual = 1): number {
  const given = process.env.MILLRACE_FAULT_SEED;
  return given === undefined ? usual : Number(given);
}

/** Returns random bytes that are not a video. */
export function drawBytes(random: Random, bytes: number): Buffer {
  const words = new Uint32Array(Math.ceil(bytes / 4));
  for (let index = 0; index < words.length; index += 1) words[index] = random.below(2 ** 32);
  return Buffer.from(words.buffer, 0, bytes);
}

/** Returns the number of rounds of a random fault: `MILLRACE_FAULT_ROUNDS`, or `usual` by default. */
export function faultRounds(usual: number): number {
  const given = process.env.MILLRACE_FAULT_ROUNDS;
  return given === undefined ? usual : Number(given);
}
