import { sql } from 'kysely';
import type { Guid } from '../../../lib/guid.ts';
import type { Db } from '../../db.ts';

/** An ingest process: its URLs for publishers (by protocol) and edges, and its maximum number of publishers. */
export type LiveNode = {
  id: Guid;
  region: string;
  feedUrl: string;
  endpoints: Record<string, string>;
  capacity: number;
  publishers: number;
};

const FORGOTTEN_HOURS = 24;

/**
 * Writes or refreshes the row of an ingest process. Called every few seconds, so that publishers are directed to the
 * process.
 */
export async function reportNode(db: Db, node: LiveNode): Promise<void> {
  const endpoints = JSON.stringify(node.endpoints);
  await sql`
    insert into live_node (id, region, feed_url, endpoints, capacity, publishers)
    values (${node.id}, ${node.region}, ${node.feedUrl}, ${endpoints}, ${node.capacity}, ${node.publishers})
    on conflict (id) do update set region = excluded.region, capacity = excluded.capacity,
      publishers = excluded.publishers, endpoints = excluded.endpoints,
      feed_url = excluded.feed_url, heartbeat_at = now()`.execute(db);
  await sql`delete from live_node where heartbeat_at < now() - make_interval(hours => ${FORGOTTEN_HOURS})`.execute(db);
}

/** Removes the row of a process that is shutting down. */
export async function removeNode(db: Db, id: Guid): Promise<void> {
  await sql`delete from live_node where id = ${id}`.execute(db);
}
