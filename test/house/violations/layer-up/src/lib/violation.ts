import { thing } from '../media/thing.ts';

export const mine = thing;
