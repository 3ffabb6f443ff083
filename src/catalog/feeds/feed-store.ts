import { randomBytes, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { Refused } from '../../lib/refused.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { Db } from '../db.ts';
import type { Feed, FeedKey, FeedTexts, FeedVideo } from './feed.ts';

/** Maximum number of videos on a page of a feed. */
export const FEED_PAGE_VIDEOS = 100;
const TOKEN_BYTES = 32;

/** Feeds of collections. */
export type FeedStore = {
  /** Returns the feed, or null if it is off. Throws `Refused` (`not-found`) for an unknown collection. */
  find(key: FeedKey): Promise<Feed | null>;
  /**
   * Switches the feed on, or changes it. Fields that are absent are left unchanged. With `isPublic` false, the feed
   * gets a token unless it has one; with `renewsToken`, it gets a new one.
   */
  put(key: FeedKey, change: Partial<FeedTexts> & { isPublic?: boolean; renewsToken?: boolean }): Promise<Feed>;
  /** Switches the feed off. */
  remove(key: FeedKey): Promise<void>;
  /** Returns a page of finished videos, newest first, and whether another page follows. */
  videos(feed: Feed, page: number): Promise<{ videos: FeedVideo[]; hasMore: boolean }>;
};

type Row = FeedKey & FeedTexts & { collectionName: string; tokenSealed: Buffer | null; isOn: boolean };

export function createFeedStore({ db, secretBox }: { db: Db; secretBox: SecretBox }): FeedStore {
  const toFeed = ({ tokenSealed, isOn: _, ...row }: Row): Feed => ({
    ...row,
    token: tokenSealed === null ? null : secretBox.open(tokenSealed),
  });
  const find = async (key: FeedKey) => {
    const row = await loadRow(db, key);
    return row.isOn ? toFeed(row) : null;
  };
  return {
    find,
    async put(key, { isPublic, renewsToken = false, ...texts }) {
      const before = await find(key);
      const wantsToken = isPublic === undefined ? before?.token !== null : !isPublic;
      const kept = renewsToken ? null : (before?.token ?? null);
      const token = wantsToken ? (kept ?? randomBytes(TOKEN_BYTES).toString('base64url')) : null;
      const values = { ...DEFAULTS, ...before, ...texts };
      await sql`
        insert into collection_feed (library_id, collection_id, title, description, author, language, category,
          is_explicit, token_sealed)
        values (${key.libraryId}, ${key.collectionId}, ${values.title}, ${values.description}, ${values.author},
          ${values.language}, ${values.category}, ${values.isExplicit}, ${token && secretBox.seal(token)})
        on conflict (library_id, collection_id) do update set title = excluded.title,
          description = excluded.description, author = excluded.author, language = excluded.language,
          category = excluded.category, is_explicit = excluded.is_explicit, token_sealed = excluded.token_sealed
      `.execute(db);
      return toFeed(await loadRow(db, key));
    },
    async remove({ libraryId, collectionId }) {
      await sql`delete from collection_feed where library_id = ${libraryId} and collection_id = ${collectionId}
      `.execute(db);
    },
    videos: (feed, page) => selectVideos(db, feed, page),
  };
}

const DEFAULTS: FeedTexts = {
  title: null,
  description: null,
  author: null,
  language: null,
  category: null,
  isExplicit: false,
};

/** Returns whether a reader may have the feed. */
export function mayRead({ token }: Feed, shown: string): boolean {
  if (token === null) return true;
  const [expected, got] = [Buffer.from(token), Buffer.from(shown)];
  return expected.length === got.length && timingSafeEqual(expected, got);
}

async function loadRow(db: Db, { libraryId, collectionId }: FeedKey): Promise<Row> {
  const { rows } = await sql<Row>`
    select c.library_id as "libraryId", c.id as "collectionId", c.name as "collectionName", f.title, f.description,
      f.author, f.language, f.category, coalesce(f.is_explicit, false) as "isExplicit", f.token_sealed as "tokenSealed",
      f.library_id is not null as "isOn"
    from collection c left join collection_feed f on f.library_id = c.library_id and f.collection_id = c.id
    where c.library_id = ${libraryId} and c.id = ${collectionId}`.execute(db);
  const [row] = rows;
  if (row !== undefined) return row;
  throw new Refused('not-found', `Collection ${collectionId} in library ${libraryId} not found. Check the id.`);
}

async function selectVideos(db: Db, feed: Feed, page: number): Promise<{ videos: FeedVideo[]; hasMore: boolean }> {
  const { rows } = await sql<FeedVideo>`
    select m.id, m.title, m.description, m.category, m.created_at as "createdAt", m.duration_ms as "durationMs",
      m.width_px as "widthPx", m.height_px as "heightPx", m.captions,
      case when m.thumbnail_key is not null then m.thumbnail_file_name end as "thumbnailFileName",
      (select t->>'value' from jsonb_array_elements(m.meta_tags) t where t->>'property' = 'keywords' limit 1)
        as keywords,
      r.rungs, r."audioBytes", r."hasVideo"
    from media m cross join lateral (
      select coalesce(jsonb_agg(jsonb_build_object('rung', r.rung, 'bytes', r.storage_bytes)) filter
          (where r.kind = 'video' and r.codec = 'h264' and r.rung is not null), '[]'::jsonb) as rungs,
        max(r.storage_bytes) filter (where r.kind = 'audio' and r.is_default) as "audioBytes",
        coalesce(bool_or(r.kind = 'video'), false) as "hasVideo"
      from rendition r where r.library_id = m.library_id and r.media_id = m.id and r.active and r.state = 'finished'
    ) r
    where m.library_id = ${feed.libraryId} and m.collection_id = ${feed.collectionId} and m.type = 'video'
      and m.state = 'finished'
    order by m.created_at desc, m.id desc
    limit ${FEED_PAGE_VIDEOS + 1} offset ${(page - 1) * FEED_PAGE_VIDEOS}`.execute(db);
  return { videos: rows.slice(0, FEED_PAGE_VIDEOS), hasMore: rows.length > FEED_PAGE_VIDEOS };
}
