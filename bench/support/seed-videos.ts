import path from 'node:path';
import pg from 'pg';
import { placesIn, SOCKET_PORT } from '../../src/cli/supervisor/postgres-places.ts';
import type { Service } from '../../test/support/service.ts';
import { createVideo, FINISHED, untilVideo, uploadFile } from '../../test/support/videos.ts';
import { runFfmpeg } from './ffmpeg.ts';

const SECONDS_APART = 300;

/** Opens a connection to the database of a running service. The caller must close it. */
export async function connectTo(service: Service): Promise<pg.Client> {
  const host = placesIn(service.dataDir).socket;
  const client = new pg.Client({ host, port: SOCKET_PORT, user: 'millrace', database: 'millrace' });
  await client.connect();
  return client;
}

/**
 * Fills library 1 with copies of one encoded video, including the rows of its timeline and renditions, five minutes
 * apart. Only titles and numbers differ. Its chunks are not copied, because no measurement here reads them.
 */
export async function seedVideos(service: Service, folder: string, count: number): Promise<void> {
  const template = await encodeTemplate(service, folder);
  const client = await connectTo(service);
  try {
    // The copies refer to each other like their template, so foreign keys need not be checked row by row.
    await client.query(`set synchronous_commit = off; set session_replication_role = replica;
      set maintenance_work_mem = '512MB'; set max_parallel_maintenance_workers = 2`);
    await client.query(
      `create temp table seeded as select n, uuidv7(make_interval(secs => -${SECONDS_APART} * n)) as id,
         uuidv7() as timeline_id from generate_series($1::int, 1, -1) n`,
      [count],
    );
    const restoreIndexes = await dropIndexes(client, ['media', 'timeline', 'rendition']);
    await copyRows(client, 'media', { id: 'n.id', title: TITLE, created_at: CREATED, views: 'n.n % 5000' }, template);
    await copyRows(client, 'timeline', { id: 'n.timeline_id', media_id: 'n.id' }, template);
    const rendition = { id: 'uuidv7()', media_id: 'n.id', timeline_id: 'n.timeline_id' };
    await copyRows(client, 'rendition', rendition, template);
    await restoreIndexes();
    await client.query(
      'update library_video_count set videos = videos + $1 where library_id = 1 and slot = (select min(slot) from ' +
        'library_video_count where library_id = 1)',
      [count],
    );
    // Autovacuum would do this in a library that grew over time.
    for (const table of ['media', 'library']) await client.query(`vacuum analyze ${table}`);
    for (const table of ['timeline', 'rendition']) await client.query(`analyze ${table}`);
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}

const CREATED = `now() - make_interval(secs => ${SECONDS_APART} * n.n)`;

/** Realistic titles: each has a number, a subject and a location. One word in a thousand is rare. */
const TITLE = `(array['Lecture', 'Webinar', 'Interview', 'Product demo', 'Conference talk', 'Training'])[1 + n.n % 6]
  || ' ' || n.n || ': ' ||
  (array['thermodynamics', 'French cuisine', 'graph theory', 'onboarding', 'quarterly results', 'Baroque music',
         'photography', 'network security', 'gardening', 'contract law', 'Zürich by night'])[1 + n.n % 11]
  || ' in ' || (array['Lisbon', 'Nairobi', 'Osaka', 'Quito', 'Tromsø', 'Vancouver', 'Hanoi'])[1 + n.n % 7]
  || case when n.n % 1000 = 17 then ' with Keplerian orbits' else '' end`;

async function encodeTemplate(service: Service, folder: string): Promise<string> {
  const file = path.join(folder, 'template.mkv');
  await runFfmpeg([
    ...['-f', 'lavfi', '-i', 'testsrc2=size=1920x1080:rate=12:duration=2', '-f', 'lavfi', '-i', 'sine=duration=2'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', file],
  ]);
  const guid = await createVideo(service, 'Template');
  const { status } = await uploadFile(service, guid, file);
  if (status !== 200) throw new Error(`Expected 200 for the upload, got ${status}.`);
  await untilVideo(service, guid, (video) => video.status === FINISHED, 240_000);
  return guid;
}

/** Copies the template's rows of a table once for each seeded video, with some columns replaced. */
async function copyRows(
  client: pg.Client,
  table: string,
  replaced: Record<string, string>,
  template: string,
): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'
       and identity_generation is distinct from 'ALWAYS'`,
    [table],
  );
  const names = rows.map(({ name }) => name);
  const values = names.map((name) => replaced[name] ?? `t.${name}`);
  const owner = table === 'media' ? 't.id' : 't.media_id';
  // The join keeps the rows in the order of the copies, oldest first.
  await client.query(
    `insert into ${table} (${names.join(', ')}) select ${values.join(', ')}
     from seeded n left join (select * from ${table} t where ${owner} = $1) t on true`,
    [template],
  );
}

/** Drops the indexes that no constraint needs. The returned function creates them again in one pass. */
async function dropIndexes(client: pg.Client, tables: readonly string[]): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ name: string; made: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as made from pg_index i
     where i.indrelid = any($1::regclass[])
       and not exists (select 1 from pg_constraint c where c.conindid = i.indexrelid)`,
    [tables],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return async () => {
    for (const { made } of rows) await client.query(made);
  };
}
