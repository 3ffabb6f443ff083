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

/**
 * Returns the names of the persons, keys and objects of audit lines, in their order. Reads them in one statement. An
 * object is only named if it belongs to the library of its line.
 */
export async function nameAuditLines(db: Db, lines: readonly AuditLine[]): Promise<AuditNames[]> {
  const wanted = lines.flatMap((line) =>
    [whoId(line), ...objectIds(line)].flatMap((id) => (id === null ? [] : [{ id, libraryId: line.libraryId }])),
  );
  const rows = await readNames(db, [...new Map(wanted.map((one) => [keyOf(one), one])).values()]);
  const found = new Map(rows.map((one) => [keyOf(one), one]));
  return lines.map((line) => {
    const { libraryId } = line;
    const [, email] = line.keyName.split(' ');
    const id = whoId(line);
    const known = id === null ? undefined : found.get(keyOf({ id, libraryId }));
    const [object = null] = objectIds(line).flatMap((one) => found.get(keyOf({ id: one, libraryId })) ?? []);
    const name = known?.name || email || (id === null ? line.keyName : '');
    return { who: { kind: email === undefined ? 'key' : 'person', name }, object };
  });
}

type Wanted = { id: Guid; libraryId: number | null };

function keyOf({ id, libraryId }: Wanted): string {
  return `${libraryId ?? ''} ${id}`;
}

/** Returns the id of the person or key. Null for the library's own keys, which have a name. */
function whoId({ keyName }: AuditLine): Guid | null {
  return parseGuid(keyName.split(' ')[0] ?? '');
}

function objectIds({ targets }: AuditLine): Guid[] {
  return OBJECT_TARGETS.flatMap((name) => parseGuid(targets[name] ?? '') ?? []);
}

async function readNames(db: Db, wanted: readonly Wanted[]): Promise<(AuditObject & Wanted)[]> {
  if (wanted.length === 0) return [];
  const ids = wanted.map(({ id }) => id);
  const libraries = wanted.map(({ libraryId }) => libraryId);
  const { rows } = await sql<AuditObject & Wanted>`
    with wanted as (select id, library_id from unnest(${ids}::uuid[], ${libraries}::bigint[]) w(id, library_id))
    select 'video' as kind, w.library_id as "libraryId", m.id, m.title as name
    from wanted w join media m using (library_id, id)
    union all
    select 'stream', w.library_id, s.id, s.title from wanted w join live_stream s using (library_id, id)
    union all
    select 'collection', w.library_id, c.id, c.name from wanted w join collection c using (library_id, id)
    union all
    select 'endpoint', w.library_id, e.id, coalesce(nullif(e.name, ''), e.url)
    from wanted w join webhook_endpoint e using (library_id, id)
    union all
    select 'key', w.library_id, k.id, k.label
    from wanted w join access_key k on k.id = w.id and (k.library_id is null or k.library_id = w.library_id)
    union all
    select 'person', w.library_id, p.id, coalesce(nullif(p.name, ''), p.email)
    from wanted w join person p on p.id = w.id`.execute(db);
  return rows;
}
