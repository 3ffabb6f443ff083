import { sql } from 'kysely';
import { type Guid, parseGuid } from '../../lib/guid.ts';
import type { Db } from '../db.ts';
import type { AuditLine } from './audit-line.ts';

type AuditObject = {
  kind: 'video' | 'stream' | 'collection' | 'endpoint' | 'key' | 'person';
  id: Guid;
  name: string;
};

/** The author and the object of a change. `object` is null if it has no name or no longer exists. */
export type AuditNames = { who: { kind: 'person' | 'key'; name: string }; object: AuditObject | null };

/** Names of targets that identify the object of a change, most specific first. */
const OBJECT_TARGETS = ['endpointId', 'keyId', 'personId', 'madeId', 'videoId', 'streamId', 'collectionId', 'guid'];

/** Returns the names of the persons, keys and objects of audit lines, in their order. Reads them in one statement. */
export async function nameAuditLines(db: Db, libraryId: number, lines: readonly AuditLine[]): Promise<AuditNames[]> {
  const ids = lines.flatMap((line) => [whoId(line), ...objectIds(line)]).filter((id) => id !== null);
  const found = new Map((await readNames(db, libraryId, [...new Set(ids)])).map((one) => [one.id, one]));
  return lines.map((line) => {
    const [, email] = line.keyName.split(' ');
    const id = whoId(line);
    const known = id === null ? undefined : found.get(id);
    const object = objectIds(line).flatMap((one) => found.get(one) ?? [])[0] ?? null;
    const name = known?.name || email || (id === null ? line.keyName : '');
    return { who: { kind: email === undefined ? 'key' : 'person', name }, object };
  });
}

/** Returns the id of the person or key. Null for the library's own keys, which have a name. */
function whoId({ keyName }: AuditLine): Guid | null {
  return parseGuid(keyName.split(' ')[0] ?? '');
}

function objectIds({ targets }: AuditLine): Guid[] {
  return OBJECT_TARGETS.flatMap((name) => parseGuid(targets[name] ?? '') ?? []);
}

async function readNames(db: Db, libraryId: number, ids: readonly Guid[]): Promise<AuditObject[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<AuditObject>`
    with wanted as (select unnest(${ids}::uuid[]) as id)
    select 'video' as kind, m.id, m.title as name from media m join wanted using (id) where m.library_id = ${libraryId}
    union all
    select 'stream', s.id, s.title from live_stream s join wanted using (id) where s.library_id = ${libraryId}
    union all
    select 'collection', c.id, c.name from collection c join wanted using (id) where c.library_id = ${libraryId}
    union all
    select 'endpoint', e.id, coalesce(nullif(e.name, ''), e.url) from webhook_endpoint e join wanted using (id)
    where e.library_id = ${libraryId}
    union all
    select 'key', k.id, k.label from access_key k join wanted using (id)
    where k.library_id is null or k.library_id = ${libraryId}
    union all
    select 'person', p.id, coalesce(nullif(p.name, ''), p.email) from person p join wanted using (id)`.execute(db);
  return rows;
}
