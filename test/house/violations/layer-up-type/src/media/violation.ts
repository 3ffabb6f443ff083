import type { Thing } from '../catalog/thing.ts';

export type Mine = Thing;
