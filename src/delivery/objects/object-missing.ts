import { Refused } from '../../lib/refused.ts';

/**
 * Thrown if an object that a database row refers to is missing or shorter than recorded. This is always an error of the
 * server, not of the viewer.
 */
export class ObjectMissing extends Error {}

/**
 * Returns a handler for failed reads that converts a missing object to `ObjectMissing` and rethrows any other error.
 */
export function asMissing(key: string) {
  return (error: unknown): never => {
    if (error instanceof Refused && error.kind === 'not-found') {
      throw new ObjectMissing(`Expected a stored object ${key}, got none.`, { cause: error });
    }
    throw error;
  };
}
