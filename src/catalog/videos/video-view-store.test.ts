import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { newGuid } from '../../lib/guid.ts';
import type { VideoQuery } from './video-page-store.ts';
import { createVideoViewStore, type VideoViewStore } from './video-view-store.ts';

const VIDEOS = 5_450;
const COLLECTION = newGuid();
let database: TestDatabase;
let views: VideoViewStore;

beforeAll(async () => {
  database = await startTestDatabase();
  views = createVideoViewStore(database.db);
  await sql`insert into library (id, name, api_key_sealed, api_key_hash, read_only_key_sealed, read_only_key_hash)
    values (1, 'one', '', 'a', '', 'b')`.execute(database.db);
  await sql`insert into library_video_count values (1, 0, 1), (1, 3, ${VIDEOS - 1})`.execute(database.db);
  await sql`insert into library (id, name, api_key_sealed, api_key_hash, read_only_key_sealed, read_only_key_hash)
    values (2, 'other', '', 'c', '', 'd')`.execute(database.db);
  await sql`insert into media (library_id, id, type, title, state)
    select 2, gen_random_uuid(), 'video', 'Zq', 'created' from generate_series(1, 1500)`.execute(database.db);
  await sql`insert into collection (library_id, id, name, video_count)
    values (1, ${COLLECTION}, 'a third', ${Math.floor(VIDEOS / 3)})`.execute(database.db);
  await sql`insert into media (library_id, id, type, title, state, created_at, views, collection_id, duration_ms)
    select 1, gen_random_uuid(), 'video', case when n = 77 then 'ÄRMEL 50%_off' else 'Film ' || n end, 'created',
      now() - make_interval(secs => n), n, case when n % 3 = 0 then ${COLLECTION}::uuid end, n % 7 * 1000
        from generate_series(1, ${VIDEOS}::int) n
  `.execute(database.db);
});
afterAll(() => database.stop());

function query(changes: Partial<VideoQuery>): VideoQuery {
  return {
    libraryId: 1,
    page: 1,
    itemsPerPage: 100,
    search: '',
    collection: null,
    orderBy: 'date',
    isIncomplete: false,
    states: null,
    tag: '',
    madeFrom: null,
    madeBefore: null,
    visibility: null,
    isReversed: false,
    ...changes,
  };
}

async function titles(search: string): Promise<string[]> {
  return (await views.list(query({ search }))).items.map(({ title }) => title);
}

test.each([
  { orderBy: 'date', collection: null, order: 'views' },
  { orderBy: 'title', collection: null, order: 'title, id' },
  { orderBy: 'status', collection: null, order: 'views' },
  { orderBy: 'views', collection: null, order: 'views desc' },
  { orderBy: 'length', collection: null, order: 'duration_ms desc, id desc' },
  { orderBy: 'size', collection: null, order: 'id desc' },
  { orderBy: 'date', collection: COLLECTION, order: 'views' },
  { orderBy: 'length', collection: COLLECTION, order: 'duration_ms desc, id desc' },
] as const)(
  'pages sorted by $orderBy form one complete list, at any depth (collection: $collection)',
  async (wanted) => {
    const { orderBy, collection, order } = wanted;
    const part = collection === null ? sql`` : sql`and collection_id = ${collection}`;
    const { rows } = await sql<{
      id: string;
    }>`select id from media where library_id = 1 ${part} order by ${sql.raw(order)}`.execute(database.db);
    const seen: string[] = [];
    for (let page = 1; page <= Math.ceil(rows.length / 700); page += 1) {
      const { total, items } = await views.list(query({ orderBy, collection, page, itemsPerPage: 700 }));
      expect(total).toBe(rows.length);
      seen.push(...items.map(({ id }) => id));
    }
    expect(seen).toEqual(rows.map(({ id }) => id));
    const { total, items } = await views.list(query({ orderBy, collection, page: 2_147_483_647 }));
    expect([total, items]).toEqual([rows.length, []]);
  },
);

test('an unknown collection has no videos and a total of zero', async () => {
  expect(await views.list(query({ collection: newGuid() }))).toEqual({ total: 0, items: [] });
});

test('reading a search page by page up to the total returns every match once, in order', async () => {
  const seen: number[] = [];
  for (let page = 1, total = Number.POSITIVE_INFINITY; (page - 1) * 1000 < total; page += 1) {
    const { total: reported, items } = await views.list(query({ search: 'fil', page, itemsPerPage: 1000 }));
    total = reported;
    seen.push(...items.map((item) => item.views));
  }
  expect(seen).toHaveLength(VIDEOS - 1);
  expect(seen).toEqual(seen.toSorted((left, right) => left - right));
  expect(new Set(seen).size).toBe(VIDEOS - 1);
});

test.each([
  { page: 1, itemsPerPage: 100, total: 5_000, items: 100 },
  { page: 51, itemsPerPage: 100, total: 5_101, items: 100 },
  { page: 55, itemsPerPage: 100, total: VIDEOS - 1, items: 49 },
  { page: 2_147_483_647, itemsPerPage: 1000, total: VIDEOS - 1, items: 0 },
])('page $page of a search with more matches than are counted reports a total of $total', async (wanted) => {
  const { page, itemsPerPage } = wanted;
  const { total, items } = await views.list(query({ search: 'film', page, itemsPerPage }));
  expect({ page, itemsPerPage, total, items: items.length }).toEqual(wanted);
});

test('the total of a search with fewer matches is exact, in every order', async () => {
  for (const orderBy of ['date', 'title', 'status', 'views', 'length', 'size'] as const) {
    const { total, items } = await views.list(query({ search: 'film 1234', orderBy }));
    expect([total, items.length, items[0]?.title]).toEqual([1, 1, 'Film 1234']);
  }
});

test('a search for one or two letters finds rare titles in a large library, in order, and counts them', async () => {
  for (const search of ['7', '77', '54', ' 5', 'ä', 'Ä', 'L%', '_o', '%_', 'qz']) {
    const { rows } = await sql<{ id: string }>`select id from media
      where library_id = 1 and position(lower(${search}::text) in lower(title)) > 0 order by views`.execute(
      database.db,
    );
    const { total, items } = await views.list(query({ search, itemsPerPage: 1000 }));
    expect([search, total, items.map(({ id }) => id)]).toEqual([
      search,
      rows.length,
      rows.slice(0, 1000).map(({ id }) => id),
    ]);
  }
});

test('finds a title of any length by its beginning', async () => {
  const title = Array.from({ length: 4000 }, () => String.fromCodePoint(randomInt(0x4e00, 0x9fff))).join('');
  await database.db.transaction().execute(async (tx) => {
    await sql`update media set title = ${title} where views = 4321`.execute(tx);
    for (const search of [title.slice(0, 2), title.slice(300, 330), title.slice(598, 600)]) {
      const { items } = await createVideoViewStore(tx).list(query({ search }));
      expect(items.map((item) => item.views)).toContain(4321);
    }
    await sql`update media set title = 'Film 4321' where views = 4321`.execute(tx);
  });
});

test('a search finds parts of words of any length, ignoring case, and treats wildcards as text', async () => {
  for (const search of ['ärm', 'Ä', 'Rm', '50%_OFF', '%_', 'ÄRMEL 50%_off']) {
    expect(await titles(search)).toEqual(['ÄRMEL 50%_off']);
  }
  for (const search of ['50_', '%o', 'zq']) expect(await titles(search)).toEqual([]);
});

test('lists only incomplete videos, in order, and counts them', async () => {
  await sql`update media set is_incomplete = true where library_id = 1 and views in (5, 8, 13)`.execute(database.db);
  const page = await views.list(query({ isIncomplete: true, orderBy: 'views', itemsPerPage: 2 }));
  expect({ total: page.total, views: page.items.map((item) => item.views) }).toEqual({ total: 3, views: [13, 8] });
  expect((await views.list(query({ isIncomplete: true, search: 'film 8' }))).items.map(({ title }) => title)).toEqual([
    'Film 8',
  ]);
});

test('lists only videos created in a time span, in order, and counts them', async () => {
  const { rows } = await sql<{ created_at: Date }>`
    select created_at from media where library_id = 1 and views in (10, 13) order by views desc`.execute(database.db);
  const [madeFrom = null, madeBefore = null] = rows.map((row) => row.created_at);
  const page = await views.list(query({ madeFrom, madeBefore, itemsPerPage: 2 }));
  expect({ total: page.total, views: page.items.map((item) => item.views) }).toEqual({ total: 3, views: [11, 12] });
});
