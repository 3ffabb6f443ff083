import { type RawBuilder, sql } from 'kysely';

/** Returns the end of a lease that begins now, by the database's clock. */
export function leaseEnd(leaseSec: number): RawBuilder<Date> {
  return sql<Date>`now() + make_interval(secs => ${leaseSec})`;
}

/** Condition that no worker holds the row: its lease was released or has expired. */
export const IS_FREE: RawBuilder<boolean> = sql<boolean>`(lease_until is null or lease_until < now())`;

/** Columns of a row whose lease is released. */
export const RELEASED = { lease_owner: null, lease_until: null } as const;
