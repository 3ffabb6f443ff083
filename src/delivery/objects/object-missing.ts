import { Refused } from '../../lib/refused.ts';

/**
 * An object named in a database row is missing or shorter than recorded. This is a fault of the server, never of the
 * viewer.
 */
export class ObjectMissing extends Error {}

/**
 * Returns a handler for failed reads that converts a missing object to `ObjectMissing` and rethrows any other error.
 */
export function asMissing(key: string) {
  return (error: unknown): never => {
    if (error instanceof Refused && error.kind === 'not-found') {
      throw new ObjectMissing(`Expected a stored object ${key}.`, { cause: error });
    }
    throw error;
  };
}
