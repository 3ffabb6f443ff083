import { afterAll, beforeAll, expect, test } from 'vitest';
import { noteFailedTrack, offerTrack } from '../../src/catalog/renditions/added-track-store.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import type { SourceFacts } from '../../src/media/probe/source-facts.ts';
import type { StorageKey } from '../../src/ports/storage.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { addRows } from '../support/rendition-rows.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const FACTS = {
  container: 'mp4',
  durationSec: 4,
  video: { displayWidthPx: 640, displayHeightPx: 360 },
  audio: [],
} as unknown as SourceFacts;
/** Begins like a WAV file. */
const SOUND = Buffer.concat([Buffer.from('RIFF....WAVEfmt '), Buffer.alloc(600, 7)]);

async function createFinished(facts = FACTS, hasSound = true): Promise<Guid> {
  const { body } = await api.call('POST', '/library/1/videos', { body: { title: 'Encoded' } });
  // A GUID from our own response.
  const guid = String(Object(body).guid) as Guid;
  await addRows(api.database.db, guid, [
    ...(facts.video === null ? [] : [{ rung: 240 }]),
    ...(hasSound ? [{ rung: null }] : []),
  ]);
  await api.database.db
    .updateTable('rendition')
    .set({ plan: JSON.stringify({ durationSec: 4, streamIndex: 1 }), name: 'English', language: 'en' })
    .where('media_id', '=', guid)
    .where('kind', '=', 'audio')
    .execute();
  await api.database.db
    .updateTable('media')
    .set({ state: 'finished', source_key: `1/${guid}/source/x` as StorageKey, source_bytes: 9 })
    .set({ facts: JSON.stringify(facts), encode_progress: 100, duration_ms: 4000 })
    .where('id', '=', guid)
    .execute();
  return guid;
}

const pathOf = (guid: string, rest = '') => `/library/1/videos/${guid}/audio-tracks${rest}`;
const put = (guid: string, rest: string, body: unknown = SOUND) => api.call('PUT', pathOf(guid, rest), { body });
const list = async (guid: string) => Object((await api.call('GET', pathOf(guid))).body).items;
const objectsOf = async (guid: string) => (await api.storage.files()).filter((name) => name.includes(guid));
const openUploads = () => api.database.db.selectFrom('upload').select('id').execute();
const tasksOf = (guid: Guid) =>
  api.database.db.selectFrom('encode_task').selectAll().where('media_id', '=', guid).execute();
const audioOf = (guid: Guid) =>
  api.database.db
    .selectFrom('rendition')
    .selectAll()
    .where('media_id', '=', guid)
    .where('kind', '=', 'audio')
    .execute();

/** Ends the encode of a track as a worker does, without its media. */
async function finish(guid: Guid, trackId: string): Promise<void> {
  const { db } = api.database;
  const key = { libraryId: 1, mediaId: guid };
  const rows = await audioOf(guid);
  const row = rows.find(({ plan, state }) => plan.added?.trackId === trackId && state === 'building');
  if (row === undefined) throw new Error(`Expected audio track ${trackId} to be encoded.`);
  await db.transaction().execute(async (tx) => {
    await tx.updateTable('rendition').set({ state: 'finished' }).where('id', '=', row.id).execute();
    await tx.deleteFrom('encode_task').where('media_id', '=', guid).execute();
    await tx.updateTable('media').set({ state: 'finished' }).where('id', '=', guid).execute();
    await offerTrack(tx, key, row.id);
  });
}

test('encodes an uploaded audio track without its cover picture, and titles it by language and purpose', async () => {
  const guid = await createFinished();
  const answer = await put(guid, '/de-commentary?language=de&purpose=commentary');
  expect(answer).toMatchObject({ status: 200 });
  const expected = {
    trackId: 'de-commentary',
    title: 'German (commentary)',
    language: 'de',
    purpose: 'commentary',
    isDefault: false,
    origin: 'added',
    state: 'processing',
    message: null,
    storageSize: 0,
  };
  expect(answer.body).toEqual(expected);
  expect(await list(guid)).toEqual([
    expect.objectContaining({ trackId: 'file-1', title: 'English', origin: 'file', state: 'ready', isDefault: true }),
    expected,
  ]);
  expect(await tasksOf(guid)).toMatchObject([{ kind: 'audio', queue: 'quick', state: 'waiting' }]);
  expect((await audioOf(guid)).filter(({ state }) => state === 'building')).toMatchObject([
    { active: false, key_group: 'audio', plan: { role: 'commentary', added: { trackId: 'de-commentary' } } },
  ]);
  expect(await objectsOf(guid)).toHaveLength(1);
  expect(await openUploads()).toEqual([]);
  const video = await api.call('GET', `/library/1/videos/${guid}`);
  expect(Object(video.body).storageSize).toBeGreaterThanOrEqual(SOUND.length);
});

test('encodes identical files once, and plays the previous version until a new file is encoded', async () => {
  const guid = await createFinished();
  await put(guid, '/de?language=de&title=Deutsch');
  await finish(guid, 'de');
  expect(await list(guid)).toMatchObject([{ trackId: 'file-1' }, { trackId: 'de', title: 'Deutsch', state: 'ready' }]);
  expect((await put(guid, '/de')).body).toMatchObject({ state: 'ready', title: 'Deutsch' });
  expect(await tasksOf(guid)).toEqual([]);
  const other = Buffer.concat([SOUND, Buffer.from('!')]);
  expect((await put(guid, '/de', other)).body).toMatchObject({ state: 'replacing', title: 'Deutsch', language: 'de' });
  await finish(guid, 'de');
  const rows = (await audioOf(guid)).filter(({ plan }) => plan.added?.trackId === 'de');
  expect(rows.map(({ active, retired_at: at }) => [active, at === null]).sort()).toEqual([
    [false, false],
    [true, true],
  ]);
});

test('shows why the file of a track cannot be encoded, and accepts a new file', async () => {
  const guid = await createFinished();
  await put(guid, '/de');
  const [row] = (await audioOf(guid)).filter(({ state }) => state === 'building');
  await api.database.db.transaction().execute(async (tx) => {
    const id = row?.id ?? newGuid();
    await tx
      .updateTable('rendition')
      .set({ state: 'failed', state_reason: 'No sound.' })
      .where('id', '=', id)
      .execute();
    await noteFailedTrack(tx, { libraryId: 1, mediaId: guid }, id, 'No sound.');
  });
  expect(await list(guid)).toMatchObject([{}, { trackId: 'de', state: 'failed', message: 'No sound.' }]);
  expect((await put(guid, '/de')).body).toMatchObject({ state: 'processing', message: null });
});

test('changes the fields of any track, and always keeps one default track', async () => {
  const guid = await createFinished();
  await put(guid, '/de?language=de');
  await finish(guid, 'de');
  const edit = (id: string, body: object) => api.call('POST', pathOf(guid, `/${id}`), { body });
  const changed = { title: 'Hörfilm', language: 'de-AT', purpose: 'description', isDefault: true };
  expect((await edit('de', changed)).body).toMatchObject(changed);
  expect(await list(guid)).toMatchObject([
    { trackId: 'de', ...changed },
    { trackId: 'file-1', isDefault: false },
  ]);
  expect((await edit('file-1', { title: 'Original' })).body).toMatchObject({ title: 'Original', language: 'en' });
  expect(await edit('de', { isDefault: false })).toMatchObject({ status: 400 });
  expect(await edit('de', { title: 'Original' })).toMatchObject({ status: 400 });
  expect(await edit('de', { language: 'no language' })).toMatchObject({ status: 400 });
  expect(await edit('fr', { title: 'Français' })).toMatchObject({ status: 404 });
  expect(await edit('de', { purpose: 'music' })).toMatchObject({ status: 400 });
});

test('removes the last track only with allowNone, and never from an audio-only video', async () => {
  const guid = await createFinished();
  await put(guid, '/de?language=de&isDefault=true');
  await finish(guid, 'de');
  const remove = (id: string, query = '') => api.call('DELETE', pathOf(guid, `/${id}${query}`));
  expect(await remove('de')).toMatchObject({ status: 200 });
  expect(await list(guid)).toMatchObject([{ trackId: 'file-1', isDefault: true }]);
  expect(await remove('de')).toMatchObject({ status: 404 });
  expect(await remove('file-1')).toMatchObject({ status: 400 });
  expect(await list(guid)).toHaveLength(1);
  expect(await remove('file-1', '?allowNone=true')).toMatchObject({ status: 200 });
  expect(await list(guid)).toEqual([]);
  const sound = await createFinished({ ...FACTS, video: null });
  const last = await api.call('DELETE', pathOf(sound, '/file-1?allowNone=true'));
  expect(last).toMatchObject({ status: 400 });
  expect(last.text).toContain('delete the video');
});

test('a track that is removed while it is encoded leaves no encode task', async () => {
  const guid = await createFinished();
  await put(guid, '/de');
  expect(await api.call('DELETE', pathOf(guid, '/de'))).toMatchObject({ status: 200 });
  expect(await list(guid)).toMatchObject([{ trackId: 'file-1' }]);
  // These rows have no images. Images are created after everything else.
  expect(await tasksOf(guid)).toMatchObject([{ kind: 'images' }]);
});

test('rejects bytes that are not audio, an invalid id and a track over the limit, without leftovers', async () => {
  const guid = await createFinished();
  const page = '<!doctype html><html><body>not found</body></html>';
  for (const [rest, body] of [
    ['/de', page],
    ['/de', ''],
    ['/d%20e', SOUND],
    ['/de?language=no%20language', SOUND],
    ['/de?title=English', SOUND],
    ['/de?purpose=music', SOUND],
  ] as const) {
    expect(await put(guid, rest, body), rest).toMatchObject({ status: 400 });
  }
  expect(await objectsOf(guid)).toEqual([]);
  for (let count = 2; count <= 16; count += 1) expect((await put(guid, `/t${count}`)).status).toBe(200);
  const full = await put(guid, '/t17');
  expect(full).toMatchObject({ status: 400 });
  expect(full.text).toContain('already has 16 audio tracks');
  expect(await openUploads()).toEqual([]);
});

test('rejects a track for a video that is not encoded yet, and states the reason', async () => {
  const { body } = await api.call('POST', '/library/1/videos', { body: { title: 'Empty' } });
  const answer = await put(String(Object(body).guid), '/de');
  expect(answer).toMatchObject({ status: 400 });
  expect(answer.text).toContain('has no file yet');
  expect(await api.call('PUT', pathOf(newGuid(), '/de'), { body: SOUND })).toMatchObject({ status: 404 });
});

test('encodes one rendition at a time if a track is uploaded twice simultaneously', async () => {
  const guid = await createFinished();
  const answers = await Promise.all(
    ['a', 'b', 'c'].map((end) => put(guid, '/de', Buffer.concat([SOUND, Buffer.from(end)]))),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const open = (await audioOf(guid)).filter(({ state, retired_at: at }) => state === 'building' && at === null);
  expect(open).toHaveLength(1);
  expect(await tasksOf(guid)).toHaveLength(1);
});
