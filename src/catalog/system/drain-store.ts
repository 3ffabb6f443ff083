import { sql } from 'kysely';
import { Refused } from '../../lib/refused.ts';
import type { Db, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { loadNodes, type NodeLine } from './node-store.ts';

/**
 * Asks a process to drain: to finish or return its work, and to exit. `name` is its id, or `HOST/ROLE` if one
 * process has this role there. Returns the process, which sees the request with its next report. Throws `Refused`
 * (`not-found`) for an unknown name, (`conflict`) for a process that is lost or already drains, and (`conflict`) unless
 * `isForced` for an ingest whose live streams no other ingest could take over.
 */
export function requestDrain(db: Db, name: string, { isForced = false } = {}): Promise<NodeLine> {
  return inTransaction(db, async (tx) => {
    // Two ingests that drain at the same time must not count on each other.
    await sql`select pg_advisory_xact_lock(hashtextextended('drain', 0))`.execute(tx);
    return drain(tx, name, isForced);
  });
}

async function drain(db: Tx, name: string, isForced: boolean): Promise<NodeLine> {
  const nodes = await loadNodes(db);
  const node = findNode(nodes, name);
  if (node.isLost) {
    throw new Refused(
      'conflict',
      `Expected a running process, got ${describe(node)}, which last reported at ${node.lastSeenAt.toISOString()}. ` +
        'Its work was handed back when its leases expired.',
    );
  }
  if (node.isDraining) {
    throw new Refused('conflict', `Expected a process on duty, got ${describe(node)}, which is already draining.`);
  }
  const published = node.streams.filter(({ publisher }) => publisher !== null);
  if (published.length > 0 && !isForced && !nodes.some((other) => mayTakeOver(other, node))) {
    throw new Refused(
      'conflict',
      `Expected another ingest to take over ${published.length} live streams of ${describe(node)}, found none. Start ` +
        'one, or interrupt the streams with --force, or force=true in the API.',
    );
  }
  await sql`
    update millrace_node set drain_requested_at = now() where id = ${node.id} and started_at = ${node.startedAt}
    `.execute(db);
  return node;
}

/** Returns whether a process stopped or was replaced by a new one with the same id. */
export async function hasEnded(db: Db, { id, startedAt }: Pick<NodeLine, 'id' | 'startedAt'>): Promise<boolean> {
  const { rows } = await sql`select 1 from millrace_node where id = ${id} and started_at = ${startedAt}`.execute(db);
  return rows.length === 0;
}

function findNode(nodes: readonly NodeLine[], name: string): NodeLine {
  const wanted = name.toLowerCase();
  const found = nodes.filter(({ id, host, role }) => id === wanted || `${host}/${role}`.toLowerCase() === wanted);
  // The row of a killed process stays next to that of its replacement for a while.
  const running = found.filter(({ isLost }) => !isLost);
  const [node, ...more] = running.length > 0 ? running : found;
  if (node !== undefined && more.length === 0) return node;
  const listed = (node === undefined ? nodes : [node, ...more]).map(describe).join(', ');
  const message =
    node === undefined
      ? `Expected the id of a process or HOST/ROLE, got "${name}". The processes are: ${listed || 'none'}.`
      : `Expected the id of one process, got ${name}, which matches several: ${listed}.`;
  throw new Refused('not-found', message);
}

function mayTakeOver(other: NodeLine, node: NodeLine): boolean {
  const isOnDuty = !other.isLost && !other.isDraining && !other.isIncompatible;
  return other.role === 'ingest' && other.id !== node.id && isOnDuty;
}

function describe({ id, host, role }: NodeLine): string {
  return `${host}/${role} (${id})`;
}
