import { thing } from '../api/thing.ts';

export const mine = thing;
