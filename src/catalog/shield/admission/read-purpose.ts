import type { Purpose } from './admit.ts';
import type { CompiledPolicy } from './compiled-policy.ts';
import type { EdgeTarget } from './edge-path.ts';
import type { Route } from './route.ts';

/** The purpose of a request by its method and by what its address names. */
export function purposeOf(method: string, target: EdgeTarget | null): Purpose {
  if (method === 'OPTIONS') return 'preflight';
  if (target === null) return 'unknown';
  return target.kind === 'beacon' || target.kind === 'embed-client' ? 'asset' : target.kind;
}

/**
 * Whether the firewall inspects a request: one that is not of the grammar of addresses. Requests of players are never
 * inspected, with a range least of all.
 */
export function needsInspection(purpose: Purpose, isQueryKnown: boolean, hasRange: boolean): boolean {
  switch (purpose) {
    case 'unknown':
      return true;
    case 'media':
    case 'player':
      return !isQueryKnown && !hasRange;
    case 'asset':
    case 'preflight':
      return false;
  }
}

/** The target under a zone's host, which serves that zone and its library only; null for what others own. */
export function targetUnderHost({ pathZone, target }: Route, { zone }: CompiledPolicy): EdgeTarget | null {
  const isForeign = pathZone !== null && pathZone !== zone.name;
  const isForeignPage = target?.kind === 'player' && target.libraryId !== zone.libraryId;
  return isForeign || isForeignPage ? null : target;
}
