import { thing } from '../../src/lib/thing.ts';

export const mine = thing;
