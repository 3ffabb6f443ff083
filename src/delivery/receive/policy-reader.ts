import { parsePullZoneName } from '../../catalog/pull-zones/pull-zone-name.ts';
import type { ZonePolicy } from '../../catalog/pull-zones/zone-policy.ts';
import type { ZoneRef } from '../../catalog/pull-zones/zone-policy-store.ts';
import { type CompiledPolicy, compilePolicy } from '../../catalog/shield/admission/compiled-policy.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { FreshCache } from '../cache/fresh-cache.ts';

/** Maximum age of a policy, in ms. A change takes effect within this time even without a notification. */
export const POLICY_TTL_MS = 2_000;
const ABSENT_TTL_MS = 1_000;
const CACHE_BYTES = 16 * 2 ** 20;
const POLICY_BYTES = 3_000;
const MAX_LOADS = 200;

type Deps = { load(ref: ZoneRef): Promise<ZonePolicy | null> };

/**
 * Reads policies of pull zones. They are at most 2 s old and compiled once per revision. While the database is down,
 * the last known policies apply.
 */
export class PolicyReader {
  readonly #policies: FreshCache<CompiledPolicy>;

  constructor({ load }: Deps) {
    this.#policies = new FreshCache({
      layer: 'policy',
      ttlMs: POLICY_TTL_MS,
      absentTtlMs: ABSENT_TTL_MS,
      maxBytes: CACHE_BYTES,
      maxLoads: MAX_LOADS,
      load: async (key, known) => {
        const zone = await load(readKey(key));
        if (zone === null) return null;
        if (known === null || known.zone.id !== zone.id || known.zone.revision !== zone.revision) {
          return compilePolicy(zone);
        }
        // The use of a quota changes without a revision.
        const { limitsViewers, reached } = known.zone.quota;
        const isSame = limitsViewers === zone.quota.limitsViewers && reached === zone.quota.reached;
        return isSame ? known : { ...known, zone };
      },
      sizeBytes: () => POLICY_BYTES,
      onLoadError: (error, key) => logEvent('policy.unread', { err: error, zone: key }),
    });
  }

  /** Returns the policy if it is fresh, or else null. Never reads the database. */
  peek(ref: ZoneRef): CompiledPolicy | null {
    return this.#policies.peek(writeKey(ref));
  }

  isLoading(ref: ZoneRef): boolean {
    return this.#policies.isLoading(writeKey(ref));
  }

  findPolicy(ref: ZoneRef): Promise<CompiledPolicy | null> {
    return this.#policies.get(writeKey(ref));
  }

  /**
   * Handles a policy change of a library. Its zones, and zones not found before, are read again on the next request.
   */
  invalidate(libraryId: number): void {
    this.#policies.invalidateWhere((policy) => policy === null || policy.zone.libraryId === libraryId);
  }

  invalidateAll(): void {
    this.#policies.invalidateAll();
  }
}

function writeKey(ref: ZoneRef): string {
  switch (ref.by) {
    case 'name':
      return `name ${ref.name}`;
    case 'library':
      return `library ${ref.libraryId}`;
    case 'host':
      return `host ${ref.hostname}`;
  }
}

function readKey(key: string): ZoneRef {
  const [by = '', text = ''] = key.split(' ');
  const name = by === 'name' ? parsePullZoneName(text) : null;
  if (name !== null) return { by: 'name', name };
  return by === 'library' ? { by, libraryId: Number(text) } : { by: 'host', hostname: text };
}
