import { Refused } from '../../lib/refused.ts';

/** An object that a row promises is not there, or is shorter than promised. Ours, never the viewer's fault. */
export class ObjectMissing extends Error {}

/** For the failure of a read: an absent object becomes ObjectMissing, anything else stays what it is. */
export function asMissing(key: string) {
  return (error: unknown): never => {
    if (error instanceof Refused && error.kind === 'not-found') {
      throw new ObjectMissing(`Expected a stored object ${key}.`, { cause: error });
    }
    throw error;
  };
}
