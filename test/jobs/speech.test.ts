import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { requestSmart } from '../../src/catalog/smart/smart-store.ts';
import type { JobDeps } from '../../src/jobs/job-deps.ts';
import type { Queue } from '../../src/jobs/queue/define-job.ts';
import { generateSmart } from '../../src/jobs/smart/generate-smart.ts';
import { indexCaptions } from '../../src/jobs/speech/index-captions.ts';
import { translateCaptions } from '../../src/jobs/speech/translate-captions.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import { CUES_AT_ONCE } from '../../src/media/transcript/translation.ts';
import { EngineBusy } from '../../src/ports/engine-busy.ts';
import { EngineCrashed } from '../../src/ports/engine-crashed.ts';
import type { LanguageModel } from '../../src/ports/language-model.ts';
import { storageKey } from '../../src/ports/storage.ts';
import type { SpokenWord, Transcriber } from '../../src/ports/transcriber.ts';
import {
  addLibrary,
  loadMedia,
  makeClip,
  startWorker,
  startWorkerFixture,
  until,
  untilState,
  upload,
  type Worker,
  type WorkerFixture,
} from './worker-fixture.ts';

const { signal } = new AbortController();
let fixture: WorkerFixture;
let worker: Worker;
let spans = 0;

/** Behaviour of the engine for a span, by its number, from 1. */
let recognise: (span: number) => Promise<SpokenWord[]> | SpokenWord[];

const scripted: Transcriber = {
  name: 'an engine of this machine',
  languages: ['en'],
  isLocal: true,
  async transcribe() {
    spans += 1;
    return { language: 'en', words: await recognise(spans) };
  },
};

const say = (text: string): SpokenWord[] => [{ text, startSec: 0, endSec: 0.5 }];

beforeAll(async () => {
  fixture = await startWorkerFixture();
  worker = await startWorker({
    database: fixture.database,
    storage: fixture.storage,
    cache: path.join(fixture.clips, 'cache-speech'),
    onError: (error) => fixture.errors.push(error),
    // There is no slot for the viewers' queue, so its tasks wait.
    slots: { quickSlots: 4, longSlots: 2, viewerSlots: 0 },
    transcriber: scripted,
  });
});
afterAll(async () => {
  await worker?.stop();
  await fixture?.stop();
});

/** Uploads three tones separated by silence, for transcription. */
async function uploadTones(): Promise<MediaKey> {
  const loud = 'between(t,1,2)+between(t,4,5)+between(t,7,8)';
  const sound = ['-f', 'lavfi', '-i', `aevalsrc='0.4*sin(440*2*PI*t)*(${loud})':s=48000:d=9`];
  const picture = ['-f', 'lavfi', '-i', 'color=gray:s=160x120:r=10:d=9'];
  const clip = await makeClip(fixture, 'tones.mp4', ...picture, ...sound, '-c:v', 'libx264', '-c:a', 'aac');
  spans = 0;
  return await upload(fixture, await addLibrary(fixture), clip, { transcribeEnabled: true });
}

/** Returns the lines of the first track, once there is one. */
async function spokenLines(key: MediaKey): Promise<string[]> {
  await until(async () => (await loadMedia(fixture, key)).captions.length > 0, 'captions');
  const [track] = (await loadMedia(fixture, key)).captions;
  if (track === undefined) throw new Error('Expected a track.');
  const vtt = (await fixture.storage.readBytes(track.key, null, signal)).toString('utf8');
  return vtt.split('\n').filter((line) => line.startsWith('Span'));
}

test('an engine crash loses only the current span, which the messages report', async () => {
  recognise = (span) => {
    if (span === 2) throw new EngineCrashed('The process ended by SIGSEGV.');
    return say(`Span ${span}`);
  };
  const key = await uploadTones();
  await untilState(fixture, key, 'finished');
  expect(await spokenLines(key)).toEqual(['Span 1', 'Span 3']);
  const { messages } = await loadMedia(fixture, key);
  expect(messages.map(({ message }) => message).join(' ')).toContain('at 4 s could not be transcribed');
  expect(spans).toBe(3);
});

test('a local engine starts no span while new videos wait to be encoded, and continues afterwards', async () => {
  const { db } = fixture.database;
  const waiting = newGuid();
  recognise = async (span) => {
    if (span === 1) await addWaiting(waiting);
    return say(`Span ${span}`);
  };
  const key = await uploadTones();
  const run = () =>
    db.selectFrom('speech_run').selectAll().where('media_id', '=', key.mediaId).executeTakeFirstOrThrow();
  await until(async () => spans > 0 && (await run()).state === 'waiting', 'speech to give way');
  expect([spans, (await run()).done_sec > 1]).toEqual([1, true]);
  await db.deleteFrom('encode_task').where('id', '=', waiting).execute();
  expect(await spokenLines(key)).toEqual(['Span 1', 'Span 2', 'Span 3']);
  expect(spans).toBe(3);
});

/** Adds a video that waits to be encoded. */
async function addWaiting(id: Guid): Promise<void> {
  await sql`
    insert into encode_task (library_id, media_id, id, timeline_id, kind, rendition_ids, from_segment, to_segment,
      queue,
      weight, state, is_ready)
    select library_id, media_id, ${id}, id, 'video', '{}', 0, 1, 'viewers', 1, 'waiting', true
    from timeline where active order by id limit 1`.execute(fixture.database.db);
}

/** Adds a video with English captions. */
async function addTalk(libraryId: number, title: string, vtt: string): Promise<MediaKey> {
  const key = { libraryId, mediaId: newGuid() };
  const { db } = fixture.database;
  const row = { library_id: libraryId, id: key.mediaId, type: 'video' as const, title, state: 'finished' as const };
  await db.insertInto('media').values(row).execute();
  const object = storageKey(`${libraryId}/${key.mediaId}/captions/en-1.vtt`);
  await fixture.storage.put(object, Buffer.from(vtt), {}, signal);
  const captions = JSON.stringify([{ srclang: 'en', label: 'English', version: 1, key: object }]);
  await db.updateTable('media').set({ captions }).where('id', '=', key.mediaId).execute();
  return key;
}

const vttOf = (texts: readonly string[]) =>
  ['WEBVTT', ...texts.map((text, index) => `00:00:${10 + index}.000 --> 00:00:${10 + index}.900\n${text}`)].join(
    '\n\n',
  );

test('videos with captions that cannot be indexed, or with times out of range, do not delay other videos', async () => {
  const { db } = fixture.database;
  const libraryId = await addLibrary(fixture);
  const good = await addTalk(libraryId, 'good', 'WEBVTT\n\n700:00:00.000 --> 700:00:01.000\nVery late');
  await sql
    .raw(`create function break_it() returns trigger language plpgsql as $$ begin
      if exists (select from media where id = old.media_id and title = 'broken') then raise 'broken'; end if;
      return old; end $$;
    create trigger break_it before delete on captions_unread for each row execute function break_it()`)
    .execute(db);
  const broken = Array.from({ length: 55 }, () => newGuid());
  const rows = broken.map((id) => ({ library_id: libraryId, id, type: 'video' as const, title: 'broken' }));
  await db
    .insertInto('media')
    .values(rows.map((row) => ({ ...row, state: 'finished' as const })))
    .execute();
  await sql`insert into captions_unread (library_id, media_id) select ${libraryId}, unnest(${broken}::uuid[])`.execute(
    db,
  );
  await expect(indexCaptions.run({}, worker.deps, signal)).rejects.toThrow('broken');
  await sql.raw('drop function break_it cascade').execute(db);
  const block = db.selectFrom('spoken_block').select(['first_ms', 'cues']).where('media_id', '=', good.mediaId);
  expect(await block.execute()).toEqual([{ first_ms: 2 ** 31 - 1, cues: 'Very late' }]);
});

/** Runs a job and returns its follow-up job and the scheduled time. */
async function goOn(run: (deps: JobDeps) => Promise<void>, model: LanguageModel['complete']) {
  const languageModel = { name: 'a model', complete: model };
  const sent: { payload: object; delaySec: number | undefined }[] = [];
  const queue: Queue = {
    send: (_, payload, options) => async () => {
      sent.push({ payload, delaySec: options?.delaySec });
    },
  };
  await run({ ...worker.deps, queue, languageModel });
  return sent;
}

test('a translation that the model interrupts continues after the translated part', async () => {
  const texts = Array.from({ length: CUES_AT_ONCE + 1 }, (_, index) => `Line ${index}`);
  const key = await addTalk(await addLibrary(fixture), 'long', vttOf(texts));
  const given: string[][] = [];
  const complete: LanguageModel['complete'] = async ({ data }) => {
    if (given.length === 1) {
      given.push([]);
      throw new EngineBusy('a model', 20);
    }
    const some: string[] = JSON.parse(data);
    given.push(some);
    return JSON.stringify({ texts: some.map((text) => text.replace('Line ', 'Zeile')) });
  };
  const wanted = { ...key, language: null, target: 'de', force: false };
  const [again] = await goOn((deps) => translateCaptions.run(wanted, deps, signal), complete);
  expect(again?.delaySec).toBe(20);
  const payload = JSON.parse(JSON.stringify(again?.payload));
  await goOn((deps) => translateCaptions.run(payload, deps, signal), complete);
  expect(given.flat()).toEqual(texts);
  const made = (await loadMedia(fixture, key)).captions.find(({ srclang }) => srclang === 'de-auto');
  if (made === undefined) throw new Error('Expected captions in German.');
  const vtt = (await fixture.storage.readBytes(made.key, null, signal)).toString('utf8');
  expect(vtt.match(/Zeile\d+/g)).toEqual(texts.map((text) => text.replace('Line ', 'Zeile')));
});

test('retries a busy model at growing intervals', async () => {
  const { db } = fixture.database;
  const key = await addTalk(await addLibrary(fixture), 'busy', vttOf(['One sentence is said here.']));
  let request: Guid | null = null;
  await db.transaction().execute((tx) =>
    requestSmart(tx, key, ['title'], (id) => async () => {
      request = id;
    }),
  );
  const busy = async () => {
    throw new EngineBusy('a model', 1);
  };
  const pauses = [0, 100, 3_600].map(async (waitedSec) => {
    const payload = { ...key, request: request ?? newGuid(), language: null, waitedSec };
    const [again] = await goOn((deps) => generateSmart.run(payload, deps, signal), busy);
    return again?.delaySec;
  });
  expect(await Promise.all(pauses)).toEqual([3, 50, 300]);
  const wanted = { ...key, language: null, target: 'de', force: false };
  const translate = (payload: typeof wanted) =>
    goOn((deps) => translateCaptions.run(payload, deps, signal), busy).then(([again]) => again);
  const first = await translate(wanted);
  const sent = { ...wanted, ...first?.payload };
  const later = await Promise.all([sent, { ...sent, stuckSec: 100 }].map(translate));
  expect([first, ...later].map((again) => again?.delaySec)).toEqual([3, 3, 50]);
});
