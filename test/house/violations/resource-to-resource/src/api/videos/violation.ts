import { thing } from '../collections/thing.ts';

export const mine = thing;
