import { integer } from 'fast-check';

export const numbers = integer;
