import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db } from '../db.ts';
import { requestDrain } from './drain-store.ts';
import { loadNodes, loadRecentWork, type NodeLine, type RecentWork } from './node-store.ts';

/** Maximum number of workers that are shown. */
const MAX_WORKERS = 200;

/** Encode tasks of one kind in one queue. */
export type QueueLine = {
  queue: string;
  kind: string;
  waiting: number;
  running: number;
  failed: number;
  /** Time since which the oldest task has waited, or null if none waits. */
  oldestAt: Date | null;
};

/** A worker that currently holds tasks. */
export type WorkerLine = { owner: string; tasks: number; kinds: string[]; leaseUntil: Date | null };

/** A video that is being encoded or waits for it. `isPlanned`: its file was probed. */
export type EncodeLine = {
  libraryId: number;
  mediaId: Guid;
  title: string;
  isPlanned: boolean;
  percent: number;
  runningTasks: number;
  since: Date;
};

export type ScrubLine = {
  roundBeganAt: Date;
  seen: number;
  bytes: number;
  damaged: number;
  unread: number;
};

export type SystemView = {
  databaseVersion: string;
  databaseBytes: number;
  libraries: number;
  videos: number;
  trashed: number;
  storedBytes: number;
  queue: QueueLine[];
  workers: WorkerLine[];
  /** First entries only: videos being encoded, then those waiting longest. */
  encodes: EncodeLine[];
  scrub: ScrubLine | null;
  move: MoveLine | null;
  backup: LastBackup | null;
  recent: RecentWork;
};

/**
 * Reads the status of the installation: queue, workers, sizes, and scrub progress. `requestDrain` is the function of
 * `drain-store.ts`.
 */
export type SystemStore = {
  load(): Promise<SystemView>;
  loadNodes(): Promise<NodeLine[]>;
  requestDrain(id: string, options: { isForced: boolean }): Promise<NodeLine>;
};

export function createSystemStore(db: Db): SystemStore {
  return {
    async load() {
      const [sizes, queue, workers, encodes, scrub, move, backup, recent] = await Promise.all([
        loadSizes(db),
        sql<QueueLine>`
          select queue, kind, count(*) filter (where state = 'waiting') as waiting,
            count(*) filter (where state = 'running') as running, count(*) filter (where state = 'failed') as failed,
            min(created_at) filter (where state = 'waiting') as "oldestAt"
          from encode_task where state <> 'done' group by queue, kind order by queue, kind`.execute(db),
        sql<WorkerLine>`
          select owner, count(*) as tasks, array_agg(distinct kind) as kinds, max(lease_until) as "leaseUntil"
          from encode_task where state = 'running' and owner is not null group by owner order by owner
          limit ${MAX_WORKERS}
        `.execute(db),
        loadEncodes(db),
        sql<ScrubLine>`
          select round_began_at as "roundBeganAt", objects_seen as seen, bytes_seen as bytes,
            objects_damaged as damaged, objects_unread as unread from scrub`.execute(db),
        loadMove(db),
        loadLastBackup(db),
        loadRecentWork(db),
      ]);
      return {
        ...sizes,
        queue: queue.rows,
        workers: workers.rows,
        encodes,
        scrub: scrub.rows[0] ?? null,
        move,
        backup,
        recent,
      };
    },
    loadNodes: () => loadNodes(db),
    requestDrain: (id, options) => requestDrain(db, id, options),
  };
}

const MAX_ENCODES = 20;

async function loadEncodes(db: Db): Promise<EncodeLine[]> {
  const { rows } = await sql<EncodeLine>`
    with running as (
      select library_id, media_id, count(*) as tasks from encode_task where state = 'running' group by 1, 2)
    select m.library_id as "libraryId", m.id as "mediaId", m.title, m.encode_progress as percent,
      m.state in ('transcoding', 'jit-segmenting') as "isPlanned", coalesce(r.tasks, 0) as "runningTasks",
      m.state_since as since
    from media m left join running r on r.library_id = m.library_id and r.media_id = m.id
    where m.type = 'video' and m.state in ('uploaded', 'processing', 'transcoding', 'jit-segmenting')
    order by r.tasks is null, m.state_since, m.id limit ${MAX_ENCODES}`.execute(db);
  return rows;
}

type Sizes = Omit<SystemView, 'queue' | 'workers' | 'encodes' | 'scrub' | 'move' | 'backup' | 'recent'>;

async function loadSizes(db: Db): Promise<Sizes> {
  const { rows } = await sql<Sizes>`
    select current_setting('server_version') as "databaseVersion",
      pg_database_size(current_database()) as "databaseBytes",
      (select count(*) from library where deleted_at is null) as libraries,
      (select coalesce(sum(count_videos(id)), 0)::bigint from library where deleted_at is null) as videos,
      (select count(*) from media where type = 'trash') as trashed,
      (select coalesce(sum(storage_bytes), 0)::bigint from media) as "storedBytes"`.execute(db);
  const [sizes] = rows;
  if (sizes === undefined) throw new Error('Expected one row of sizes, got none.');
  return sizes;
}

/** A complete backup: the contents of the store, and the folder that it was copied to. */
export type LastBackup = { madeAt: Date; objects: number; bytes: number; place: string };

/** Records a backup, replacing the previous record. */
export async function noteBackup(db: Db, { madeAt, objects, bytes, place }: LastBackup): Promise<void> {
  await sql`
    insert into last_backup (made_at, objects, bytes, place) values (${madeAt}, ${objects}, ${bytes}, ${place})
    on conflict (singleton) do update set made_at = excluded.made_at, objects = excluded.objects,
      bytes = excluded.bytes, place = excluded.place`.execute(db);
}

/** Returns the last backup, or null if there was none yet. */
export async function loadLastBackup(db: Db): Promise<LastBackup | null> {
  const { rows } = await sql<LastBackup>`
    select made_at as "madeAt", objects, bytes, place from last_backup`.execute(db);
  return rows[0] ?? null;
}

/** Contents of the old store that must still move: objects, their bytes, and uploads in progress there. */
export type MoveLeft = { objects: number; bytes: number; uploads: number };
export type MoveLine = MoveLeft & { notedAt: Date };

/**
 * Minutes after which a record is stale. A mover writes at least once a minute, but a large store takes a while to
 * list.
 */
const FRESH_MIN = 15;

export async function noteMove(db: Db, { objects, bytes, uploads }: MoveLeft): Promise<void> {
  await sql`
    insert into storage_move (id, objects_left, bytes_left, uploads_left) values (1, ${objects}, ${bytes}, ${uploads})
    on conflict (id) do update set objects_left = excluded.objects_left, bytes_left = excluded.bytes_left,
      uploads_left = excluded.uploads_left, noted_at = now()`.execute(db);
}

/** Returns the remaining part of a move, or null while no objects move. */
export async function loadMove(db: Db): Promise<MoveLine | null> {
  const { rows } = await sql<MoveLine>`
    select objects_left as objects, bytes_left as bytes, uploads_left as uploads, noted_at as "notedAt"
    from storage_move where noted_at > now() - make_interval(mins => ${FRESH_MIN})`.execute(db);
  return rows[0] ?? null;
}
