import { thing } from '../cli/thing.ts';

export const mine = thing;
