import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebhookStatus } from '../../src/catalog/webhooks/webhook.ts';
import { untilGone } from '../house/service.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { type ChatRequest, type ModelReply, startModelServer } from '../support/model-server.ts';
import { passLeases } from '../support/pass-leases.ts';
import { answerWords, type ScriptedEngine, startScriptedEngine } from '../support/scripted-engine.ts';
import { discard, newDataDir, type Service, startService } from '../support/service.ts';
import { findProcesses, killAll } from '../support/service-processes.ts';
import { makeTalk } from '../support/speech.ts';
import { call, createVideo, FINISHED, getVideo, untilVideo, uploadFile } from '../support/videos.ts';

const PATIENCE = { timeout: 240_000, interval: 250 };
const CHAPTERS = [{ title: 'All of it', start: 0 }];

let service: Service;
let database: TestDatabase;
let folder: string;
let engine: ScriptedEngine;
let model: Awaited<ReturnType<typeof startModelServer>>;
/** Kinds of requests to the model that currently get no response. */
const held = new Set<string>();
let isHolding = true;
/** Actions of a person during a request to the model, by kind of request. */
const meanwhile = new Map<string, () => Promise<void>>();

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-speech-kills-'));
  engine = await startScriptedEngine(({ span }, response) => answerWords(response, ['A', 'fine', `sentence${span}.`]));
  model = await startModelServer(reply);
  database = await startTestDatabase();
  service = await startService(await newDataDir(), {
    MILLRACE_DATABASE_URL: `postgres:///postgres?host=${encodeURIComponent(`${database.config.host}`)}&user=millrace`,
    MILLRACE_TRANSCRIBER: engine.url,
    MILLRACE_LANGUAGE_MODEL_URL: model.url,
    MILLRACE_OUTBOUND_ALLOW: '127.0.0.0/8',
  });
});
afterAll(async () => {
  if (service !== undefined) await discard(service);
  await database?.stop();
  engine?.close();
  model?.close();
  await rm(folder, { recursive: true, force: true });
});

async function reply({ messages, response_format }: ChatRequest): Promise<ModelReply> {
  const { name } = response_format.json_schema;
  const wanted = /into (\w+)\./.exec(messages[0]?.content ?? '')?.[1] ?? name;
  if (isHolding) {
    held.add(wanted);
    return await new Promise(() => undefined);
  }
  await meanwhile.get(wanted)?.();
  meanwhile.delete(wanted);
  if (name !== 'translations')
    return JSON.stringify({ title: 'Generated', description: 'A few words.', chapters: CHAPTERS });
  const texts: string[] = JSON.parse(messages[1]?.content ?? '[]');
  return JSON.stringify({ texts: texts.map((text) => `${wanted} ${text}`) });
}

/** Prevents jobs from storing transcript blocks until the returned function is called or the test ends. */
async function holdIndexing(): Promise<() => Promise<void>> {
  const client = new pg.Client(database.config);
  onTestFinished(() => client.end());
  await client.connect();
  await client.query('begin');
  await client.query('lock table spoken_block in exclusive mode');
  return () => client.end();
}

/** Returns whether a job waits to store transcript blocks. */
async function isIndexing(): Promise<boolean> {
  const { rows } = await sql`
    select from pg_locks where not granted and relation = 'spoken_block'::regclass limit 1`.execute(database.db);
  return rows.length > 0;
}

async function countJobs(): Promise<number> {
  const { rows } = await sql<{ jobs: number }>`
    select count(*)::int as jobs from millrace_queue.job where state in ('created', 'retry', 'active')
      and data->>'job' in ('transcribe-video', 'translate-captions', 'generate-smart')`.execute(database.db);
  return rows[0]?.jobs ?? 0;
}

const countRows = async (query: ReturnType<typeof sql<{ name: string; count: number }>>) =>
  Object.fromEntries((await query.execute(database.db)).rows.map(({ name, count }) => [name, count]));

test('a worker killed during translation and indexing duplicates nothing, and user edits are kept', async () => {
  const { db } = database;
  await sql`update library set settings = settings || '{"webhookUrl": "http://127.0.0.1:9/"}' where id = 1`.execute(db);
  const guid = await createVideo(service, 'A talk');
  const address = `/library/1/videos/${guid}`;
  expect((await uploadFile(service, guid, await makeTalk(folder))).status).toBe(200);
  await untilVideo(service, guid, (video) => video.status === FINISHED);
  const letIndex = await holdIndexing();
  // The video has no captions, so it is transcribed first.
  const features = { generateTitle: true, generateDescription: true, generateChapters: true };
  await call(service, 'POST', `${address}/smart`, { ...features, sourceLanguage: 'en' });
  await expect.poll(() => [...held], PATIENCE).toEqual(['video_texts']);
  const targets = { sourceLanguage: 'en', targetLanguages: ['en', 'de', 'fr'] };
  await call(service, 'POST', `${address}/transcribe`, targets);
  await expect.poll(() => held.size, PATIENCE).toBe(3);
  await expect.poll(isIndexing, PATIENCE).toBe(true);

  meanwhile.set('video_texts', async () => void (await call(service, 'POST', address, { title: 'By hand' })));
  const captionsFile = Buffer.from('WEBVTT\n\n00:00.000 --> 00:01.000\nA la main\n').toString('base64');
  const byHand = { srclang: 'fr-auto', captionsFile };
  meanwhile.set('French', async () => void (await call(service, 'POST', `${address}/captions/fr-auto`, byHand)));
  isHolding = false;
  const killed = await findProcesses(service, 'role.ts worker');
  killAll(killed);
  await untilGone(killed.map(({ pid }) => pid));
  await passLeases(database.pool, new Date());
  await letIndex();

  await expect.poll(countJobs, PATIENCE).toBe(0);
  const blocks = () =>
    countRows(sql`select srclang as name, count(*)::int as count from spoken_block group by srclang`);
  await expect.poll(blocks, PATIENCE).toMatchObject({ 'en-auto': 1 });
  const video = Object(await getVideo(service, guid));
  const { title, description, chapters, captions, smartGenerateFeaturesStatus } = video;
  expect([meanwhile.size, title, description]).toEqual([0, 'By hand', 'A few words.']);
  expect(smartGenerateFeaturesStatus).toMatchObject({ title: 3, description: 3, chapters: 3 });
  expect(chapters).toMatchObject([{ title: 'All of it', start: 0 }]);
  expect(captions.map(({ srclang }: { srclang: string }) => srclang).toSorted()).toEqual([
    'de-auto',
    'en-auto',
    'fr-auto',
  ]);
  const vtt = async (srclang: string) =>
    await (await fetch(`${service.edgeUrl}/vz-1/${guid}/captions/${srclang}.vtt`)).text();
  expect(await vtt('fr-auto')).toContain('A la main');
  expect((await vtt('de-auto')).match(/German A fine sentence0/g)).toHaveLength(1);
  expect(engine.counts()).toEqual([1]);
  const { items } = Object(await call(service, 'GET', '/library/1/search?q=fine%20sentence0&language=en'));
  expect(items).toMatchObject([{ videoGuid: guid, cues: [{ srclang: 'en-auto' }] }]);
  expect(items[0].cues).toHaveLength(1);
  const { captionsGenerated, titleOrDescriptionGenerated } = WebhookStatus;
  const events = sql<{ name: string; count: number }>`
    select status as name, count(*)::int as count from webhook_event
    where status in (${captionsGenerated}, ${titleOrDescriptionGenerated}) group by status`;
  expect(await countRows(events)).toEqual({ [captionsGenerated]: 2, [titleOrDescriptionGenerated]: 1 });
  expect(new Set(Object.values(await blocks()))).toEqual(new Set([1]));
});
