import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { isAtLeast } from '../../lib/version.ts';
import type { Db } from '../db.ts';

/**
 * Report of a role's process. `cpuCores` is its CPU use since its previous report, in cores. `hostLoad` is the average
 * number of processes that ran or waited for one of the machine's `hostCores` during the last minute.
 */
export type NodeReport = {
  id: Guid;
  host: string;
  role: string;
  version: string;
  startedAt: Date;
  cpuCores: number;
  memoryBytes: number;
  hostLoad: number;
  hostCores: number;
  /** True once the process takes no new work before it exits. */
  isDraining: boolean;
};

/** A live stream that an ingest process owns. `publisher`: the one whose media arrived last, or null if none sends. */
export type OwnedLine = { libraryId: number; streamId: Guid; title: string; publisher: 'primary' | 'backup' | null };

/** `isIncompatible`: its version must not use the database, so it refuses work until it is replaced. */
export type NodeLine = NodeReport & {
  lastSeenAt: Date;
  isLost: boolean;
  isIncompatible: boolean;
  streams: OwnedLine[];
};

/** Time without a report after which a process counts as lost, in seconds. */
export const LOST_NODE_SEC = 45;
/** Time without a report after which a row is removed, in seconds. */
const EXPIRED_SEC = 600;
/** Time without media after which a publisher is not the current one, in seconds. */
const SILENT_SEC = 5;

/**
 * Writes or refreshes the row of a process, and removes expired ones. Returns whether the process was asked to drain. A
 * request to an earlier process with the same id does not count.
 */
export async function reportNode(db: Db, node: NodeReport): Promise<{ isDrainRequested: boolean }> {
  const { rows } = await sql<{ isDrainRequested: boolean }>`
    insert into millrace_node as n (id, host, role, version, started_at, cpu_cores, memory_bytes, host_load, host_cores,
      is_draining)
    values (${node.id}, ${node.host}, ${node.role}, ${node.version}, ${node.startedAt}, ${node.cpuCores},
      ${node.memoryBytes}, ${node.hostLoad}, ${node.hostCores}, ${node.isDraining})
    on conflict (id) do update set host = excluded.host, version = excluded.version, started_at = excluded.started_at,
      cpu_cores = excluded.cpu_cores, memory_bytes = excluded.memory_bytes, host_load = excluded.host_load,
      host_cores = excluded.host_cores, is_draining = excluded.is_draining, last_seen_at = now(),
      drain_requested_at = case when n.started_at = excluded.started_at then n.drain_requested_at end
    returning drain_requested_at is not null as "isDrainRequested"`.execute(db);
  await sql`delete from millrace_node where last_seen_at < now() - make_interval(secs => ${EXPIRED_SEC})`.execute(db);
  return { isDrainRequested: rows[0]?.isDrainRequested === true };
}

/** Removes the row of a process that stops. */
export async function removeNode(db: Db, id: Guid): Promise<void> {
  await sql`delete from millrace_node where id = ${id}`.execute(db);
}

type NodeRow = Omit<NodeLine, 'isIncompatible'> & { isDrainRequested: boolean; oldestVersions: readonly string[] };

/**
 * Returns all processes, with the live streams that each owns. An incompatible process reports only that it is
 * draining, so this compares its version with the oldest version that works with the schema.
 */
export async function loadNodes(db: Db): Promise<NodeLine[]> {
  const { rows } = await sql<NodeRow>`
    select n.id, n.host, n.role, n.version, n.started_at as "startedAt", n.cpu_cores as "cpuCores",
      n.memory_bytes as "memoryBytes", n.host_load as "hostLoad", n.host_cores as "hostCores",
      n.is_draining as "isDraining", n.drain_requested_at is not null as "isDrainRequested",
      array(select c.oldest_version from schema_compatibility c join kysely_migration m on m.name = c.name)
        as "oldestVersions",
      n.last_seen_at as "lastSeenAt", n.last_seen_at < now() - make_interval(secs => ${LOST_NODE_SEC}) as "isLost",
      coalesce((
        select jsonb_agg(jsonb_build_object('libraryId', s.library_id, 'streamId', s.id, 'title', s.title,
          'publisher', case
            when greatest(l.primary_media_at, l.backup_media_at) < now() - make_interval(secs => ${SILENT_SEC})
              or coalesce(l.primary_media_at, l.backup_media_at) is null then null
            when l.primary_media_at > now() - make_interval(secs => ${SILENT_SEC}) then 'primary'
            else 'backup' end) order by s.title, s.id)
        from live_lease l join live_stream s on s.id = l.stream_id
        where l.owner = n.id and l.lease_until > now() and s.state not in ('ended', 'error')), '[]')
        as streams
    from millrace_node n order by n.role, n.host, n.started_at`.execute(db);
  return rows.map(({ isDrainRequested, oldestVersions, ...row }) => {
    const isIncompatible = oldestVersions.some((oldest) => isAtLeast(row.version, oldest) === false);
    return { ...row, isIncompatible, isDraining: isDrainRequested || (row.isDraining && !isIncompatible) };
  });
}

/** Work of a worker since its last report: failed attempts, and seconds of media and of running encoders. */
export type Work = { failures: number; mediaSec: number; busySec: number };

/** Adds work to the sums of the current hour, and removes those of more than a week ago. */
export async function addWork(db: Db, { failures, mediaSec, busySec }: Work): Promise<void> {
  await sql`
    insert into work_hour as w (hour, failures, media_sec, busy_sec)
    values (date_trunc('hour', now()), ${failures}, ${mediaSec}, ${busySec})
    on conflict (hour) do update set failures = w.failures + excluded.failures,
      media_sec = w.media_sec + excluded.media_sec, busy_sec = w.busy_sec + excluded.busy_sec`.execute(db);
  await sql`delete from work_hour where hour < now() - interval '8 days'`.execute(db);
}

/** Failed attempts of the last day, and the speed of encoders within the last two hours, or null if none ran. */
export type RecentWork = { failures: number; encodeSpeed: number | null };

export async function loadRecentWork(db: Db): Promise<RecentWork> {
  const { rows } = await sql<RecentWork>`
    select coalesce(sum(failures), 0)::bigint as failures,
      sum(media_sec) filter (where hour > now() - interval '2 hours')
        / nullif(sum(busy_sec) filter (where hour > now() - interval '2 hours'), 0) as "encodeSpeed"
    from work_hour where hour > now() - interval '24 hours'`.execute(db);
  return rows[0] ?? { failures: 0, encodeSpeed: null };
}
