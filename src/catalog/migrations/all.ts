import { up as baseline } from './001-baseline.ts';
import { up as loudness } from './002-loudness.ts';
import { up as nodes } from './003-nodes.ts';
import { up as logIds } from './004-log-ids.ts';
import { up as queueDepth } from './007-queue-depth.ts';

/** All migrations, by name. They run in the order of their names, and are never changed or removed. */
export const migrations = {
  '001-baseline': { up: baseline },
  '002-loudness': { up: loudness },
  '003-nodes': { up: nodes },
  '004-log-ids': { up: logIds },
  '007-queue-depth': { up: queueDepth },
};
