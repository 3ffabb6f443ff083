import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { addLibraryRow } from '../../../../test/support/library-row.ts';
import { newGuid } from '../../../lib/guid.ts';
import { createSecretBox } from '../../../lib/secret-box.ts';
import { startStream, stopStream } from '../live-stream.ts';
import { createPublishStore, type PublishStore } from '../publishing/publish-store.ts';
import { sealOwned } from '../recording/seal-store.ts';
import { createLiveStore, type LiveStore } from './live-store.ts';

const SETTINGS = {
  title: 'Match',
  description: null,
  category: null,
  collectionId: null,
  isPublic: true,
  scheduledStartAt: null,
  scheduledEndAt: null,
  dvrEnabled: false,
  dvrWindowSec: null,
  recordVod: true,
  countdownEnabled: null,
  relays: ['rtmp://example.test/live/secret'],
  trailerVideoId: null,
  availableResolutions: '720p',
  ingestRegion: 'local',
};

let database: TestDatabase;
let live: LiveStore;
let publishing: PublishStore;
let libraryId: number;
beforeAll(async () => {
  database = await startTestDatabase();
  const deps = { db: database.db, secretBox: createSecretBox(Buffer.alloc(32, 7)) };
  live = createLiveStore(deps);
  publishing = createPublishStore(deps);
  libraryId = await addLibraryRow(database.db);
});
afterAll(() => database.stop());

const node = () => ({ id: newGuid(), feedUrl: 'http://127.0.0.1:1' });
const create = async () => {
  const view = await live.create({ ...SETTINGS, libraryId });
  return { view, key: { libraryId, mediaId: view.stream.id } };
};

test('a stream key is not stored in plain text, and is valid until it is replaced or the stream ends', async () => {
  const { view, key } = await create();
  expect(view.streamKey).toMatch(/^bunnylive_[0-9a-f]{32}$/);
  const { rows } = await sql<{ row: string }>`select s::text as row from live_stream s`.execute(database.db);
  expect(rows.some(({ row }) => row.includes(view.streamKey) || row.includes('secret'))).toBe(false);
  const grant = await publishing.authorise(view.streamKey, node());
  expect(grant.stream.state).toBe('preview');
  const { streamKey } = await live.regenerateKey(key);
  await expect(publishing.authorise(view.streamKey, node())).rejects.toMatchObject({ kind: 'not-found' });
  const [kept] = await publishing.renew(grant.lease.owner, [reportOf(grant.lease)]);
  expect(kept?.kickedSession).toBe(grant.session);
  await live.change(key, startStream);
  await live.change(key, stopStream);
  await expect(publishing.authorise(streamKey, node())).rejects.toMatchObject({ kind: 'invalid' });
});

test('a newer publisher takes over the lease, and the previous owner cannot renew it', async () => {
  const { view, key } = await create();
  const first = await publishing.authorise(view.streamKey, node());
  const second = await publishing.authorise(view.streamKey, node());
  expect(second.lease.epoch).toBe(first.lease.epoch + 1);
  expect(await publishing.renew(first.lease.owner, [reportOf(first.lease)])).toEqual([]);
  const atMs = Date.now();
  const renewed = await publishing.renew(second.lease.owner, [{ ...reportOf(second.lease), primaryMediaAtMs: atMs }]);
  expect(renewed).toMatchObject([{ streamId: key.mediaId, state: 'preview' }]);
  expect((await live.load(key)).ingest).toMatchObject({ isOwned: true, primaryLive: true, backupLive: false });
});

test('a report from before a publisher was accepted does not restore the reason of the previous one', async () => {
  const { view, key } = await create();
  const ingest = node();
  const first = await publishing.authorise(view.streamKey, ingest);
  const ladder = { kind: 'refused', reason: 'The encoder was disconnected.', rungs: [] } as const;
  const report = { ...reportOf(first.lease), session: first.session, ladder };
  await publishing.renew(ingest.id, [report]);
  expect((await live.load(key)).ingest.ladder).toEqual(ladder);
  await publishing.authorise(view.streamKey, ingest);
  await publishing.renew(ingest.id, [report]);
  expect((await live.load(key)).ingest.ladder).toBe(null);
});

test('a stream that is stopped while owned waits for its owner; without media it produces no video', async () => {
  const { view, key } = await create();
  const { lease } = await publishing.authorise(view.streamKey, node());
  await live.change(key, startStream);
  expect((await live.change(key, stopStream)).stream.state).toBe('vod-processing');
  expect(await sealOwned(database.db, lease)).toBe(true);
  expect(await live.load(key)).toMatchObject({ stream: { state: 'ended' }, isVideo: false });
  expect(await sealOwned(database.db, lease)).toBe(false);
});

test('refuses to remove a stream whose recording is being turned into a video', async () => {
  const { view, key } = await create();
  const { lease } = await publishing.authorise(view.streamKey, node());
  await live.change(key, startStream);
  await live.change(key, stopStream);
  await expect(live.remove(key)).rejects.toMatchObject({
    kind: 'invalid',
    message: expect.stringContaining('a video'),
  });
  expect(await sealOwned(database.db, lease)).toBe(true);
  await live.remove(key);
});

test('searches, sorts and removes streams', async () => {
  const { key } = await create();
  await live.change(key, (stream) => ({ ...stream, title: 'Only one' }));
  const query = { libraryId, page: 1, itemsPerPage: 10, search: 'only', collection: null, orderBy: 'ended' as const };
  expect(await live.list(query)).toMatchObject({ total: 1, items: [{ stream: { title: 'Only one' } }] });
  const removed: boolean[] = [];
  await live.remove(key, (hadMedia) => async () => void removed.push(hadMedia));
  expect(removed).toEqual([true]);
  await expect(live.load(key)).rejects.toMatchObject({ kind: 'not-found' });
});

function reportOf({ key, epoch }: { key: { mediaId: ReturnType<typeof newGuid> }; epoch: number }) {
  return {
    streamId: key.mediaId,
    epoch,
    session: null,
    primaryMediaAtMs: null,
    backupMediaAtMs: null,
    bitrate: null,
    ladder: null,
    relays: [],
  };
}
