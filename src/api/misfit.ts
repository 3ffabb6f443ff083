import { Refused } from '../lib/refused.ts';

/** Returns the refusal (`invalid`) of a field of a request. */
export function misfit(field: string, message: string): Refused {
  return new Refused('invalid', message, { field });
}
