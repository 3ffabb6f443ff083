import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { containing } from '../containing.ts';
import type { Db, MediaKey } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import type { CaptionTrack } from '../schema.ts';
import { matchingCues, type SpokenBlock, type SpokenCue } from './spoken-blocks.ts';

/** A video with matching speech, and its first matching cues, in time order per track. */
export type SpokenMatch = { mediaId: Guid; title: string; cues: (SpokenCue & { srclang: string })[] };

/** A video whose captions must be indexed again; `changes` identifies their state. */
export type UnreadCaptions = MediaKey & { changes: number; captions: readonly CaptionTrack[] };

const CUES_A_VIDEO = 5;
/**
 * Maximum number of blocks read per video of a page. Without it, a video with many matching blocks would hide the
 * others.
 */
const BLOCKS_A_VIDEO = 8;

type Row = { media_id: Guid; title: string; srclang: string; start_ms: number[]; end_ms: number[]; cues: string };

/** Numbers of newest blocks to scan one by one before using the index. Frequent words are found in them. */
const NEWEST_BLOCKS = [400, 4_000];

type Wanted = { libraryId: number; words: readonly string[]; language: string; limit: number };

/**
 * Finds the videos of a library in which all words are spoken within about a minute, newest first. Returns at most
 * `limit` videos with up to five cues each.
 */
export async function searchSpoken(db: Db, wanted: Wanted): Promise<SpokenMatch[]> {
  for (const newest of NEWEST_BLOCKS) {
    const rows = await selectBlocks(db, wanted, newest);
    if (new Set(rows.map(({ media_id }) => media_id)).size >= wanted.limit) return toMatches(rows, wanted);
  }
  return toMatches(await selectBlocks(db, wanted, 'all'), wanted);
}

// PostgreSQL keeps no statistics of values this long, so it guesses which of the two plans is faster, and a wrong guess
// costs seconds. This query forces both plans: the first one reads a bounded number of blocks, and the second one is
// materialized, so that it uses the trigrams and is not stopped early. The index does not support ALL of an array of
// patterns, but does support AND. Texts are fetched only for returned blocks, because those of all hits would go
// through a sort on disk.
async function selectBlocks(
  db: Db,
  { libraryId, words, language, limit }: Wanted,
  newest: number | 'all',
): Promise<Row[]> {
  const key = sql`media_id, created_at, srclang, first_ms`;
  const order = sql`order by created_at desc, media_id, first_ms`;
  // Searches for the longest word first: it is usually the rarest, and if it is not found the others are not tested.
  const said = sql.join(
    words.toSorted((a, b) => b.length - a.length).map((word) => sql`cues ilike ${containing(word)}`),
    sql` and `,
  );
  const inLanguage = sql`(${language} = '' or srclang in (${language}, ${`${language}-auto`}))`;
  const source =
    newest === 'all'
      ? sql`select ${key} from spoken_block where library_id = ${libraryId} and ${said} and ${inLanguage}`
      : sql`select ${key} from (select ${key}, cues from spoken_block where library_id = ${libraryId} ${order}
          limit ${newest}) as newest where ${said} and ${inLanguage}`;
  const { rows } = await sql<Row>`
    with hit as materialized (${source}),
      placed as (select *, row_number() over (partition by media_id order by first_ms) as place from hit),
      b as (select * from placed where place <= ${BLOCKS_A_VIDEO} ${order} limit ${limit * BLOCKS_A_VIDEO})
    select b.media_id, m.title, b.srclang, s.start_ms, s.end_ms, s.cues
    from b join media m on m.library_id = ${libraryId} and m.id = b.media_id and m.type = 'video'
      join spoken_block s on s.library_id = ${libraryId} and s.media_id = b.media_id and s.srclang = b.srclang
        and s.first_ms = b.first_ms
    order by b.created_at desc, b.media_id, b.first_ms`.execute(db);
  return rows;
}

function toMatches(rows: readonly Row[], { words, limit }: Wanted): SpokenMatch[] {
  const matches = new Map<Guid, SpokenMatch>();
  for (const row of rows) {
    const match = matches.get(row.media_id) ?? { mediaId: row.media_id, title: row.title, cues: [] };
    if (!matches.has(row.media_id) && matches.size === limit) break;
    matches.set(row.media_id, match);
    const found = matchingCues(toCues(row), words).map((cue) => ({ ...cue, srclang: row.srclang }));
    match.cues.push(...found.slice(0, CUES_A_VIDEO - match.cues.length));
  }
  return [...matches.values()];
}

function toCues({ start_ms, end_ms, cues }: Row): SpokenCue[] {
  return cues.split('\n').map((text, index) => ({ text, startMs: start_ms[index] ?? 0, endMs: end_ms[index] ?? 0 }));
}

/** Lists some videos whose captions changed since they were last indexed, newest first, after `last`. */
export async function listUnreadCaptions(db: Db, limit: number, last: MediaKey | null): Promise<UnreadCaptions[]> {
  const unread = db
    .selectFrom('captions_unread as u')
    .innerJoin('media as m', (join) => join.onRef('m.library_id', '=', 'u.library_id').onRef('m.id', '=', 'u.media_id'))
    .select(['u.library_id', 'u.media_id', 'u.changes', 'm.captions'])
    .orderBy('u.media_id', 'desc')
    .orderBy('u.library_id', 'desc')
    .limit(limit);
  const following = last && sql<boolean>`(u.media_id, u.library_id) < (${last.mediaId}::uuid, ${last.libraryId})`;
  const rows = await (following === null ? unread : unread.where(following)).execute();
  return rows.map((row) => ({
    libraryId: row.library_id,
    mediaId: row.media_id,
    changes: row.changes,
    captions: row.captions,
  }));
}

/**
 * Replaces the searchable blocks of a video. Returns false, and changes nothing, if its captions have changed again.
 */
export async function storeSpoken(
  db: Db,
  { libraryId, mediaId, changes }: UnreadCaptions,
  blocks: readonly SpokenBlock[],
): Promise<boolean> {
  return await inTransaction(db, async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('captions_unread')
      .where('library_id', '=', libraryId)
      .where('media_id', '=', mediaId)
      .where('changes', '=', changes)
      .executeTakeFirst();
    if (numDeletedRows === 0n) return false;
    await sql`delete from spoken_block where library_id = ${libraryId} and media_id = ${mediaId}`.execute(tx);
    const sent = blocks.map(({ srclang, cues }) => ({
      srclang,
      first_ms: cues[0]?.startMs ?? 0,
      start_ms: cues.map(({ startMs }) => startMs),
      end_ms: cues.map(({ endMs }) => endMs),
      cues: cues.map(({ text }) => text).join('\n'),
    }));
    await sql`
      insert into spoken_block (library_id, media_id, srclang, first_ms, start_ms, end_ms, cues, created_at)
      select m.library_id, m.id, s.srclang, s.first_ms, s.start_ms, s.end_ms, s.cues, m.created_at
      from jsonb_to_recordset(${JSON.stringify(sent)}::jsonb)
        as s(srclang text, first_ms integer, start_ms integer[], end_ms integer[], cues text), media m
      where m.library_id = ${libraryId} and m.id = ${mediaId}
      on conflict do nothing`.execute(tx);
    return true;
  });
}
