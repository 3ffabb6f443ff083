import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NumbersFixture, openNumbersFixture, VICTIMS } from '../support/numbers-fixture.ts';
import { faultRounds, faultSeed, seededRandom } from '../support/seeded-random.ts';

/** `npm run soak -- statistics` kills each process repeatedly. `npm test` kills one random process once. */
// vitest sets its mode in `process.env`. `import.meta.env` belongs to Vite, which does not run these files.
const isSoak = process.env.MODE === 'soak';
/** Timeout that only a hang exceeds. */
const HANG_MS = 240_000;
const AWAY_MS = isSoak ? 60_000 : 2_500;
const ROUNDS = faultRounds(isSoak ? 5 * VICTIMS.length : 1);
const seed = faultSeed(isSoak ? Math.floor(Math.random() * 1e9) : undefined);
const random = seededRandom(seed);

let fixture: NumbersFixture;

beforeAll(async () => {
  fixture = await openNumbersFixture(random);
}, HANG_MS);
afterAll(() => fixture?.close());

test(
  `counts watched time exactly once after a process is killed with kill -9 (seed ${seed})`,
  async () => {
    const first = random.below(VICTIMS.length);
    for (let round = 0; round < ROUNDS; round += 1) {
      const victim = VICTIMS[(first + round) % VICTIMS.length] ?? VICTIMS[0];
      await fixture.watchThrough(() => fixture.kill(victim));
    }
  },
  HANG_MS * ROUNDS,
);

test(
  `during a database outage, players keep playing, and watched time is counted exactly once (seed ${seed})`,
  async () => {
    let failed = -1;
    await fixture.watchThrough(async () => {
      failed = await fixture.takeDatabaseAway(AWAY_MS);
    });
    expect(failed).toBe(0);
  },
  HANG_MS,
);
