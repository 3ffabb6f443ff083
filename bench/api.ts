import { parseArgs } from 'node:util';
import type pg from 'pg';
import { containing } from '../src/catalog/containing.ts';
import { LIBRARY_KEY, type Service } from '../test/support/service.ts';
import { type Client, openClient, type Question } from './support/http.ts';
import { makeFolder, startMillrace } from './support/millrace.ts';
import { type Measurement, quantile, report, say } from './support/report.ts';
import { connectTo, seedVideos } from './support/seed-videos.ts';

// Measures the API of a whole service over HTTP, on one kept-alive connection, in a library of `--videos` videos
// (100,000). The baseline is the PostgreSQL statement that such a call needs at least, run directly from this process.
const { values: options } = parseArgs({ options: { videos: { type: 'string', default: '100000' } } });
const VIDEOS = Number(options.videos);
/**
 * Warm-up time in ms. After it, query plans are prepared and code is compiled, as in a service that has run for a
 * while.
 */
const WARM_UP_MS = 2_000;
const WARM_UP_CALLS = 300;
const POINT_CALLS = 400;
const LIST_CALLS = 100;
const CREATES_EACH = 100;
const CREATED_MEANWHILE = 1_000;
/**
 * Time limit of a case in ms, whatever its number of calls, because some statements of the baseline read a million
 * rows.
 */
const CASE_LIMIT_MS = 8_000;
const VIDEOS_PATH = '/library/1/videos';

type Lab = { service: Service; client: Client; database: pg.Client; ids: readonly string[] };
type Case = {
  name: string;
  barMs: number | null;
  calls: number;
  ask: (index: number) => [path: string, question?: Question];
  baseline: (index: number) => [sql: string, values: unknown[]];
};

const LIST_SQL = `select * from media where library_id = 1 and type = 'video'`;
const NEWEST = 'order by created_at desc, id desc limit 100';
/** Sort orders of the list other than by date, each with its column. */
const ORDERED = [
  ['title', 'title, id'],
  ['views', 'views desc, id desc'],
  ['size', 'storage_bytes desc, id desc'],
  ['length', 'duration_ms desc, id desc'],
] as const;
const SEARCH_SQL = `${LIST_SQL} and title_folded like $1 ${NEWEST}`;
const UPDATE_SQL = 'update media set title = $1 where library_id = 1 and id = $2';
const INSERT_SQL = `insert into media (library_id, id, type, title, state)
  values (1, gen_random_uuid(), 'video', $1, 'created')`;

await report('api', async (scope) => {
  const folder = makeFolder(scope);
  const service = await startMillrace(scope);
  const seededMs = await timeMs(() => seedVideos(service, folder, VIDEOS));
  const database = await connectTo(service);
  scope.own(() => database.end());
  const client = openClient(16);
  scope.own(() => client.close());
  const { rows } = await database.query<{ id: string }>(
    `select id from media where library_id = 1 and state = 'finished' order by md5(id::text) limit $1`,
    [POINT_CALLS],
  );
  const lab = { service, client, database, ids: rows.map(({ id }) => id) };
  say(`${VIDEOS} videos, made in ${(seededMs / 1000).toFixed(0)} s; milliseconds, p50 (p99 below each).`);
  const results: Measurement[] = [];
  for (const one of casesOf(lab)) results.push(...(await measure(lab, one)));
  results.push(...(await createAtOnce(lab)));
  results.push(...(await listWhileCreating(lab)));
  return results;
});

function casesOf({ ids }: Lab): Case[] {
  const idOf = (index: number) => ids[index % ids.length] ?? '';
  const lastPage = Math.max(1, Math.floor(VIDEOS / 100));
  const page = (number: number): Pick<Case, 'ask' | 'baseline'> => ({
    ask: () => [`${VIDEOS_PATH}?page=${number}&itemsPerPage=100`],
    baseline: () => [`${LIST_SQL} ${NEWEST} offset $1`, [(number - 1) * 100]],
  });
  const search = (text: string): Pick<Case, 'ask' | 'baseline'> => ({
    ask: () => [`${VIDEOS_PATH}?itemsPerPage=100&search=${encodeURIComponent(text)}`],
    baseline: () => [SEARCH_SQL, [containing(text.toLowerCase())]],
  });
  return [
    {
      name: 'get',
      barMs: 2,
      calls: POINT_CALLS,
      ask: (index) => [`${VIDEOS_PATH}/${idOf(index)}`],
      baseline: (index) => ['select * from media where library_id = 1 and id = $1', [idOf(index)]],
    },
    { name: 'list 100, page 1', barMs: 10, calls: LIST_CALLS, ...page(1) },
    { name: `list 100, page ${lastPage}`, barMs: 20, calls: LIST_CALLS, ...page(lastPage) },
    ...ORDERED.flatMap(([order, column]): Case[] =>
      [1, Math.max(1, Math.floor(lastPage / 2))].map((number) => ({
        name: `list 100 by ${order}, page ${number}`,
        barMs: 20,
        calls: LIST_CALLS,
        ask: () => [`${VIDEOS_PATH}?page=${number}&itemsPerPage=100&orderBy=${order}`],
        baseline: () => [`${LIST_SQL} order by ${column} limit 100 offset $1`, [(number - 1) * 100]],
      })),
    ),
    { name: 'search, one in a thousand matches', barMs: 20, calls: LIST_CALLS, ...search('keplerian') },
    { name: 'search, one video matches', barMs: 20, calls: LIST_CALLS, ...search('Webinar 4321:') },
    { name: 'search, a sixth matches', barMs: 20, calls: LIST_CALLS, ...search('lecture') },
    { name: 'search, every video matches', barMs: 20, calls: LIST_CALLS, ...search(' in ') },
    { name: 'search, two letters, a fifth matches', barMs: 20, calls: LIST_CALLS, ...search('ph') },
    { name: 'search, two letters, no match', barMs: 20, calls: LIST_CALLS, ...search('zq') },
    { name: 'search, no match', barMs: 20, calls: LIST_CALLS, ...search('xylophone') },
    {
      name: 'update a title',
      barMs: null,
      calls: POINT_CALLS,
      ask: (index) => [`${VIDEOS_PATH}/${idOf(index)}`, post({ title: `Changed ${index} ${Date.now()}` })],
      baseline: (index) => [UPDATE_SQL, [`Changed below ${index}`, idOf(index)]],
    },
    {
      name: 'create',
      barMs: null,
      calls: POINT_CALLS,
      ask: (index) => [VIDEOS_PATH, post({ title: `Made ${index}` })],
      baseline: (index) => [INSERT_SQL, [`Made below ${index}`]],
    },
  ];
}

async function measure(lab: Lab, { name, barMs, calls, ask, baseline }: Case): Promise<Measurement[]> {
  const ours: number[] = [];
  const bare: number[] = [];
  const turn = async (index: number) => {
    const [path, question] = ask(index);
    const ourMs = await timeMs(() => call(lab, path, question));
    const [sql, values] = baseline(index);
    return [ourMs, await timeMs(() => lab.database.query(sql, values))] as const;
  };
  const startedMs = performance.now();
  const spentMs = () => performance.now() - startedMs;
  for (let index = 0; index < WARM_UP_CALLS && spentMs() < WARM_UP_MS; index += 1) await turn(index);
  for (let index = 0; index < calls && (index === 0 || spentMs() < CASE_LIMIT_MS); index += 1) {
    const [ourMs, bareMs] = await turn(index);
    ours.push(ourMs);
    bare.push(bareMs);
  }
  if (ours.length < calls) say(`${name}: ${ours.length} calls in ${CASE_LIMIT_MS / 1000} s.`);
  const p50 = {
    name,
    ours: quantile(ours, 0.5),
    baseline: quantile(bare, 0.5),
    bar: barMs,
    unit: 'ms',
    isAbsolute: true,
  };
  return [
    p50,
    {
      name: '  p99',
      ours: quantile(ours, 0.99),
      baseline: quantile(bare, 0.99),
      bar: null,
      unit: 'ms',
      isAbsolute: true,
    },
  ];
}

/**
 * Clients create videos concurrently. Each sends the next request after the response to the last. The baseline is a
 * single client.
 */
async function createAtOnce(lab: Lab): Promise<Measurement[]> {
  const createAs = async (clients: number): Promise<number> => {
    const times: number[] = [];
    const create = async (number: number) => {
      for (let index = 0; index < CREATES_EACH; index += 1) {
        times.push(await timeMs(() => call(lab, VIDEOS_PATH, post({ title: `At once ${number} ${index}` }))));
      }
    };
    await Promise.all(Array.from({ length: clients }, (_, number) => create(number)));
    return quantile(times, 0.5);
  };
  const alone = await createAs(1);
  const results: Measurement[] = [];
  for (const clients of [4, 16]) {
    const ours = await createAs(clients);
    const name = `create, ${clients} at once; baseline: one client`;
    results.push({ name, ours, baseline: alone, bar: null, unit: 'ms', isAbsolute: true });
  }
  return results;
}

/** One client creates videos as fast as the service responds, while another lists. */
async function listWhileCreating(lab: Lab): Promise<Measurement[]> {
  const quiet: number[] = [];
  for (let turn = 0; turn < LIST_CALLS; turn += 1) quiet.push(await timeMs(() => list(lab)));
  let created = 0;
  const creating = (async () => {
    for (; created < CREATED_MEANWHILE; created += 1) {
      await call(lab, VIDEOS_PATH, post({ title: `Meanwhile ${created}` }));
    }
  })();
  const busy: number[] = [];
  while (created < CREATED_MEANWHILE) busy.push(await timeMs(() => list(lab)));
  await creating;
  say(
    `Listing while ${CREATED_MEANWHILE} videos are made: ${busy.length} lists, slowest ` +
      `${Math.max(...busy).toFixed(1)} ms.`,
  );
  return [0.5, 0.99].map((share) => ({
    name: `list 100 while videos are made, p${share * 100}; baseline: before`,
    ours: quantile(busy, share),
    baseline: quantile(quiet, share),
    bar: 50,
    unit: 'ms',
    isAbsolute: true,
  }));
}

function list(lab: Lab): Promise<void> {
  return call(lab, `${VIDEOS_PATH}?itemsPerPage=100`);
}

async function call({ client, service }: Lab, path: string, question: Question = {}): Promise<void> {
  const headers = { AccessKey: LIBRARY_KEY, ...question.headers };
  const { status, body } = await client.ask(`${service.apiUrl}${path}`, { ...question, headers });
  if (status !== 200) throw new Error(`Expected 200 for ${path}, got ${status}: ${body.toString().slice(0, 300)}`);
}

function post(body: object): Question {
  return { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

async function timeMs(task: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await task();
  return performance.now() - startedMs;
}
