import { randomBytes, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { Db, FollowUp, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { type Feed, type FeedKey, type FeedTexts, type FeedVideo, MAX_LISTED_FEEDS } from './feed.ts';
import type { FeedAccess } from './feed-schema.ts';

/** Maximum number of videos on a page of a feed. */
export const FEED_PAGE_VIDEOS = 100;
const TOKEN_BYTES = 32;

type FeedChange = Partial<FeedTexts> & { access?: FeedAccess; renewsToken?: boolean };

/** Feeds of collections. */
export type FeedStore = {
  /** Returns the feed; a new one is off. Throws `Refused` (`not-found`) for an unknown collection. */
  find(key: FeedKey): Promise<Feed>;
  /** Returns the feeds of several collections; a new one is off. Leaves unknown collections out. */
  findAll(libraryId: number, collectionIds: readonly Guid[]): Promise<Feed[]>;
  /** Returns the feeds of a library that were changed, at most 1,000. */
  list(libraryId: number): Promise<Feed[]>;
  /**
   * Changes the feed. Fields that are absent are left unchanged. A feed gets a token when its readers first need one,
   * and a new one with `renewsToken`. Texts and token are kept while the feed is off.
   */
  change(key: FeedKey, change: FeedChange): Promise<Feed>;
  /** Changes the feed in the transaction of another change. */
  changing(key: FeedKey, change: FeedChange): FollowUp;
  /** Returns a page of finished videos, newest first, and whether another page follows. */
  videos(feed: Feed, page: number): Promise<{ videos: FeedVideo[]; hasMore: boolean }>;
};

type Row = FeedKey & FeedTexts & { collectionName: string; access: FeedAccess; tokenSealed: Buffer | null };

export function createFeedStore({ db, secretBox }: { db: Db; secretBox: SecretBox }): FeedStore {
  const toFeed = ({ tokenSealed, ...row }: Row): Feed => ({
    ...row,
    token: row.access !== 'token' || tokenSealed === null ? null : secretBox.open(tokenSealed),
  });
  const write = async (tx: Tx, key: FeedKey, { renewsToken = false, ...change }: FeedChange) => {
    await lockCollection(tx, key);
    const before = await loadRow(tx, key);
    const values = { ...before, ...change };
    const wantsNew = renewsToken || (values.access === 'token' && before.tokenSealed === null);
    const token = wantsNew ? secretBox.seal(randomBytes(TOKEN_BYTES).toString('base64url')) : before.tokenSealed;
    await sql`
      insert into collection_feed (library_id, collection_id, access, title, description, author, language,
        category, is_explicit, token_sealed)
      values (${key.libraryId}, ${key.collectionId}, ${values.access}, ${values.title}, ${values.description},
        ${values.author}, ${values.language}, ${values.category}, ${values.isExplicit}, ${token})
      on conflict (library_id, collection_id) do update set access = excluded.access, title = excluded.title,
        description = excluded.description, author = excluded.author, language = excluded.language,
        category = excluded.category, is_explicit = excluded.is_explicit, token_sealed = excluded.token_sealed
    `.execute(tx);
  };
  return {
    find: async (key) => toFeed(await loadRow(db, key)),
    async findAll(libraryId, collectionIds) {
      const { rows } = await sql<Row>`${SELECT_FEEDS} where c.library_id = ${libraryId}
        and c.id = any(${[...collectionIds]}::uuid[])`.execute(db);
      return rows.map(toFeed);
    },
    async list(libraryId) {
      const { rows } = await sql<Row>`${SELECT_FEEDS} where c.library_id = ${libraryId} and f.library_id is not null
        order by c.id limit ${MAX_LISTED_FEEDS}`.execute(db);
      return rows.map(toFeed);
    },
    change: (key, change) =>
      inTransaction(db, async (tx) => {
        await write(tx, key, change);
        return toFeed(await loadRow(tx, key));
      }),
    changing: (key, change) => (tx) => write(tx, key, change),
    videos: (feed, page) => selectVideos(db, feed, page),
  };
}

/** Serializes the changes of a feed, so that none stores a token that another has just replaced. */
async function lockCollection(tx: Tx, { libraryId, collectionId }: FeedKey): Promise<void> {
  await sql`select from collection where library_id = ${libraryId} and id = ${collectionId} for no key update`.execute(
    tx,
  );
}

/** Returns whether a reader may read the feed. */
export function mayRead({ access, token }: Feed, shown: string): boolean {
  if (token === null) return access === 'public';
  const [expected, got] = [Buffer.from(token), Buffer.from(shown)];
  return expected.length === got.length && timingSafeEqual(expected, got);
}

const SELECT_FEEDS = sql`
    select c.library_id as "libraryId", c.id as "collectionId", c.name as "collectionName", f.title, f.description,
      f.author, f.language, f.category, coalesce(f.is_explicit, false) as "isExplicit", f.token_sealed as "tokenSealed",
      case when f.library_id is null then 'off'
        else coalesce(f.access, case when f.token_sealed is null then 'public' else 'token' end) end as access
    from collection c left join collection_feed f on f.library_id = c.library_id and f.collection_id = c.id`;

async function loadRow(db: Db, { libraryId, collectionId }: FeedKey): Promise<Row> {
  const { rows } = await sql<Row>`${SELECT_FEEDS}
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
          (where r.is_file and r.kind = 'video' and r.codec = 'h264' and r.rung is not null), '[]'::jsonb) as rungs,
        max(r.storage_bytes) filter (where r.is_file and r.kind = 'audio' and r.is_default) as "audioBytes",
        coalesce(bool_or(r.kind = 'video'), false) as "hasVideo"
      from (select r.*, r.plan ? 'joined' or m.source_key is not null or (select count(*) < 2 from live_period p
          where p.library_id = m.library_id and p.media_id = m.id and not p.is_preview) as is_file
        from rendition r where r.library_id = m.library_id and r.media_id = m.id and r.state = 'finished'
          and (r.active or r.plan ? 'joined' and r.retired_at is null
            and not exists (select from rendition o where o.library_id = r.library_id and o.media_id = r.media_id
              and o.plan ? 'joined' and o.state <> 'finished' and o.retired_at is null))) r
    ) r
    where m.library_id = ${feed.libraryId} and m.collection_id = ${feed.collectionId} and m.type = 'video'
      and m.state = 'finished' and m.visibility = 'public'
    order by m.created_at desc, m.id desc
    limit ${FEED_PAGE_VIDEOS + 1} offset ${(page - 1) * FEED_PAGE_VIDEOS}`.execute(db);
  return { videos: rows.slice(0, FEED_PAGE_VIDEOS), hasMore: rows.length > FEED_PAGE_VIDEOS };
}
