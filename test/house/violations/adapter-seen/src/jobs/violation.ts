import { thing } from '../adapters/storage/thing.ts';

export const mine = thing;
