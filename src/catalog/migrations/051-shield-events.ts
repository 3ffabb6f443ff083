import { type Kysely, sql } from 'kysely';

/** What the edges refused, a partition a day. Partitions are made and dropped by the writers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(SHIELD_EVENTS).execute(db);
}

// `seq` is drawn under a lock that is held until the commit, so that no row that is committed later sorts before one
// that was shown: pages never skip what another edge writes.
const SHIELD_EVENTS = `
  create sequence shield_event_seq;
  create table shield_event (
    day date not null,
    zone_id bigint not null,
    seq bigint not null,
    log_id uuid not null,
    at timestamptz not null,
    rule_id text not null,
    rule_group text not null,
    severity text not null,
    status text not null,
    method text not null,
    country text not null,
    asn text not null,
    server_zone text not null,
    log text not null,
    primary key (day, zone_id, seq)
  ) partition by range (day);
`;
