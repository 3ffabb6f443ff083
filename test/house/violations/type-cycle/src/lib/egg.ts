import type { Hen } from './hen.ts';

export type Egg = { by: Hen };
