import { thing } from '../../catalog/thing.ts';

export const mine = thing;
