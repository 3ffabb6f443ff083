import { Refused } from '../../lib/refused.ts';

/** An object that a row names is missing or shorter than recorded. This is our fault, never the viewer's. */
export class ObjectMissing extends Error {}

/** Handles the failure of a read: converts a missing object to `ObjectMissing` and rethrows anything else. */
export function asMissing(key: string) {
  return (error: unknown): never => {
    if (error instanceof Refused && error.kind === 'not-found') {
      throw new ObjectMissing(`Expected a stored object ${key}.`, { cause: error });
    }
    throw error;
  };
}
