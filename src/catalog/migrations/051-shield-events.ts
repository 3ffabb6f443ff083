import { type Kysely, sql } from 'kysely';

/** Requests refused by the edges, one partition per day. Writers create and drop partitions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(SHIELD_EVENTS).execute(db);
}

// `seq` is drawn under a lock that is held until the commit, so that no row committed later sorts before one already
// shown: pages never skip rows of another edge.
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
