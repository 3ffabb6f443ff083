import { Refused } from '../../lib/refused.ts';
import type { Staging, Storage, StorageKey } from '../../ports/storage.ts';

type Stores = { to: Storage; from: Storage };

/**
 * Presents the staged uploads of two stores as one. An upload that began in `from` is completed there, and its object
 * is moved like any other. All other uploads begin in `to`.
 */
export function createMovingStaging({ to: { staging: to }, from: { staging: from } }: Stores): Staging {
  const placeOf = async (id: string) => ((await from.size(id)) > 0 ? from : to);
  return {
    append: async (id, offset, body, signal) => await (await placeOf(id)).append(id, offset, body, signal),
    rewind: async (id, sizeBytes) => await (await placeOf(id)).rewind(id, sizeBytes),
    size: async (id) => await (await placeOf(id)).size(id),
    read: async (id, offset, signal) => await (await placeOf(id)).read(id, offset, signal),
    async commit(id, key, signal) {
      if ((await from.size(id)) > 0) return await from.commit(id, key, signal);
      return await commitWhereStaged({ to, from }, { id, key }, signal);
    },
    async abort(id) {
      await from.abort(id);
      await to.abort(id);
    },
    async *list(signal) {
      for await (const staged of from.list(signal)) if ((await to.size(staged.id)) === 0) yield staged;
      yield* to.list(signal);
    },
  };
}

type Commit = { id: string; key: StorageKey };

/**
 * Commits an upload in the store that has it. Tries `to` again at the end, because the object of an earlier commit may
 * move from `from` to `to` during the lookup.
 */
async function commitWhereStaged(
  { to, from }: { to: Staging; from: Staging },
  { id, key }: Commit,
  signal: AbortSignal,
): Promise<{ sizeBytes: number }> {
  for (const staging of [to, from]) {
    try {
      return await staging.commit(id, key, signal);
    } catch (error) {
      if (!(error instanceof Refused) || error.kind !== 'not-found') throw error;
    }
  }
  return await to.commit(id, key, signal);
}
