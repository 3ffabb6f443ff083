import { type RawBuilder, sql } from 'kysely';

/** Returns the end of a lease that begins now, measured by the database's clock. */
export function leaseEnd(leaseSec: number): RawBuilder<Date> {
  return sql<Date>`now() + make_interval(secs => ${leaseSec})`;
}

/** Condition that is true if no worker holds the row: its lease was released or has expired. */
export const IS_FREE: RawBuilder<boolean> = sql<boolean>`(lease_until is null or lease_until < now())`;

/** Values that release the lease of a row. */
export const RELEASED = { lease_owner: null, lease_until: null } as const;
