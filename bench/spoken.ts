import { parseArgs } from 'node:util';
import type pg from 'pg';
import { seededRandom } from '../test/support/seeded-random.ts';
import { LIBRARY_KEY } from '../test/support/service.ts';
import { openClient } from './support/http.ts';
import { makeFolder, startMillrace } from './support/millrace.ts';
import { type Measurement, quantile, report, say } from './support/report.ts';
import { connectTo, seedVideos } from './support/seed-videos.ts';

// Measures search in the spoken text over HTTP, in a library of `--videos` videos (100,000) of ten minutes each: ten
// blocks of 150 words. Words are drawn so that a few occur in nearly all blocks and most are rare. There is no
// baseline: the bar applies to the response time.
const { values: options } = parseArgs({ options: { videos: { type: 'string', default: '100000' } } });
const VIDEOS = Number(options.videos);
const BLOCKS = 10;
const CUES = 15;
const WORDS_A_CUE = 10;
const TEXTS = 4_000;
const VOCABULARY = 20_000;
const CALLS = 60;
const BAR_MS = 50;
const CASE_LIMIT_MS = 15_000;

const CASES = [
  ['one video says it', 'marker 77 zyzzyva'],
  ['one block in a thousand', 'quokka'],
  ['a word of one block in a hundred', word(400)],
  ['a word of most blocks', word(1)],
  ['two words of most blocks', `${word(1)} ${word(2)}`],
  ['a common and a rare word', `${word(1)} quokka`],
  ['no video', 'xylophonist'],
] as const;

await report('spoken', async (scope) => {
  const folder = makeFolder(scope);
  const service = await startMillrace(scope);
  const startedMs = performance.now();
  await seedVideos(service, folder, VIDEOS);
  const database = await connectTo(service);
  scope.own(() => database.end());
  await seedSpoken(database);
  const client = openClient(1);
  scope.own(() => client.close());
  say(`${VIDEOS} videos, made in ${((performance.now() - startedMs) / 1000).toFixed(0)} s; milliseconds, p50.`);
  const search = async (q: string) => {
    const url = `${service.apiUrl}/library/1/search?q=${encodeURIComponent(q)}`;
    const { status, body } = await client.ask(url, { headers: { AccessKey: LIBRARY_KEY } });
    if (status !== 200) throw new Error(`Expected 200, got ${status}: ${body.toString().slice(0, 200)}`);
    return Number(JSON.parse(body.toString()).items.length);
  };
  const results: Measurement[] = [];
  for (const [name, q] of CASES) {
    const times: number[] = [];
    const beganMs = performance.now();
    let found = 0;
    for (let call = 0; call < CALLS && performance.now() - beganMs < CASE_LIMIT_MS; call += 1) {
      const sentMs = performance.now();
      found = await search(q);
      times.push(performance.now() - sentMs);
    }
    const figure = { ours: quantile(times, 0.5), baseline: null, bar: BAR_MS, unit: 'ms', isAbsolute: true };
    results.push({ name: `${name} (${found} videos)`, ...figure });
  }
  return results;
});

/** Returns the invented word with a rank. */
function word(rank: number): string {
  const syllables = [
    'ka',
    'lo',
    'mi',
    'ren',
    'tus',
    'vel',
    'dor',
    'an',
    'pex',
    'shu',
    'ger',
    'in',
    'bot',
    'fra',
    'ly',
    'quo',
  ];
  let left = rank + 16;
  let text = '';
  for (; left > 0; left = Math.floor(left / 16)) text += syllables[left % 16] ?? '';
  return text;
}

async function seedSpoken(database: pg.Client): Promise<void> {
  const random = seededRandom(20_261_122);
  // Zipf's law: the word of rank r occurs about 1/r times as often as the first.
  const draw = () => word(Math.floor(VOCABULARY ** (random.below(1_000_000) / 1_000_000)));
  const line = () => Array.from({ length: WORDS_A_CUE }, draw).join(' ');
  const texts = Array.from({ length: TEXTS }, () => Array.from({ length: CUES }, line).join('\n'));
  await database.query(
    `set synchronous_commit = off; set maintenance_work_mem = '512MB'; set session_replication_role = replica`,
  );
  await database.query('create temp table said (n serial primary key, cues text)');
  await database.query('insert into said (cues) select unnest($1::text[])', [texts]);
  await database.query('drop index spoken_block_trigrams; drop index spoken_block_newest');
  await database.query(
    `insert into spoken_block (library_id, media_id, srclang, first_ms, start_ms, end_ms, cues, created_at)
     select 1, m.id, 'en', b * 60000, t.starts, t.ends,
       s.cues || case when (m.n * $1 + b) % 1000 = 17 then ' quokka' else '' end
         || case when m.n = 77 and b = 0 then ' marker 77 zyzzyva' else '' end, m.created_at
     from (select id, created_at, row_number() over (order by created_at) as n from media where library_id = 1) m
     cross join generate_series(0, $1 - 1) b
     cross join (select array_agg(g * 4000) as starts, array_agg(g * 4000 + 3500) as ends
       from generate_series(0, $2 - 1) g) t
     join said s on s.n = 1 + (m.n * $1 + b) * 7919 % $3`,
    [BLOCKS, CUES, TEXTS],
  );
  await database.query(`create index spoken_block_trigrams on spoken_block using gin (cues gin_trgm_ops)`);
  await database.query(
    `create index spoken_block_newest on spoken_block (library_id, created_at desc, media_id, first_ms)`,
  );
  await database.query('vacuum analyze spoken_block');
  const { rows } = await database.query(
    "select pg_size_pretty(pg_relation_size('spoken_block')) as rows, " +
      "pg_size_pretty(pg_relation_size('spoken_block_trigrams')) as index",
  );
  say(`Rows ${rows[0]?.rows}, trigram index ${rows[0]?.index}.`);
}
