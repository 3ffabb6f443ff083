import { thing } from '../../api/collections/thing.ts';

export const mine = thing;
