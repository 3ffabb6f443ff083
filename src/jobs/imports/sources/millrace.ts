import type { ImportSource } from '../import-source.ts';
import { createStreamSource } from './bunny.ts';

/** A library of another Millrace, which has the same interface as bunny Stream. */
export const millrace: ImportSource = createStreamSource('millrace');
