import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startStream, stopStream } from '../../src/catalog/live/live-stream.ts';
import { createQuotaStore, type QuotaChange } from '../../src/catalog/quotas/quota-store.ts';
import { createLive, type LiveCatalogue, NO_RUNGS, openLiveCatalogue, publish, until } from '../live/live-service.ts';
import { openRtmpPublisher } from '../support/rtmp-publisher.ts';
import { discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';
import { call } from '../support/videos.ts';

let service: Service;
let catalogue: LiveCatalogue;
beforeAll(async () => {
  service = await startService(null);
  catalogue = await openLiveCatalogue(service);
});
beforeEach(() => limit({ concurrentLiveStreams: null, storageBytes: null }));
afterAll(async () => {
  await catalogue.database.close();
  await discard(service);
});

const limit = async (change: QuotaChange) => void (await createQuotaStore(catalogue.database.db).change(1, change));
const place = () => ({ service, catalogue });
const refusal = (ingest: string) =>
  openRtmpPublisher(ingest).then(
    (publisher) => {
      publisher.close();
      return 'accepted';
    },
    (error: Error) => error.message,
  );

test('a publisher above the limit is refused over RTMP and SRT with a reason, and may reconnect', async () => {
  await limit({ concurrentLiveStreams: { limit: 1, mode: 'hard' } });
  const [first, second] = [await createLive(place()), await createLive(place())];
  const publisher = await publish(first.ingest, NO_RUNGS);
  const isLive = async () => (await catalogue.streams.load(first.key)).ingest.primaryLive;
  await until(async () => ((await isLive()) ? true : null), 'the first stream');
  expect(await refusal(second.ingest)).toContain(
    'uses 1 of 1 live streams at the same time (quota concurrentLiveStreams)',
  );
  const status = Object(await call(service, 'GET', `/library/1/live/${second.key.mediaId}/status`));
  expect(status).toMatchObject({ primaryLive: false, transcoding: { state: 'idle' } });
  expect(status.transcoding.reason).toContain('The publisher was refused. The library uses');
  const srt = `srt://127.0.0.1:${second.listeners.srt}?streamid=${second.streamKey}`;
  const argv = ['-v', 'error', '-re', '-f', 'lavfi', '-i', 'sine', '-t', '2', '-c:a', 'aac', '-f', 'mpegts', srt];
  const publishSrt = () =>
    promisify(execFile)('ffmpeg', argv, { timeout: 30_000 }).then(
      () => 'published',
      () => 'refused',
    );
  expect(await publishSrt()).toBe('refused');
  // The same stream does not count against itself.
  publisher.kill('SIGKILL');
  await until(async () => ((await isLive()) ? null : true), 'the end of the publisher');
  const again = await openRtmpPublisher(first.ingest);
  again.close();
  await limit({ concurrentLiveStreams: { limit: 2, mode: 'hard' } });
  const other = await openRtmpPublisher(second.ingest);
  other.close();
  // The same command publishes once the limit permits it.
  await until(async () => ((await publishSrt()) === 'published' ? true : null), 'a publisher over SRT');
});

test('simultaneous publishers never exceed the limit together', async () => {
  await limit({ concurrentLiveStreams: { limit: 0, mode: 'hard' } });
  const { used } = (await createQuotaStore(catalogue.database.db).load(1)).concurrentLiveStreams;
  await limit({ concurrentLiveStreams: { limit: used + 2, mode: 'hard' } });
  const streams = await Promise.all(Array.from({ length: 5 }, () => createLive(place())));
  const results = await Promise.all(streams.map(({ ingest }) => refusal(ingest)));
  expect(results.filter((result) => result === 'accepted')).toHaveLength(2);
  expect(results.filter((result) => result.includes('quota concurrentLiveStreams'))).toHaveLength(3);
});

test('a full library refuses streams that are recorded, but no others', async () => {
  await limit({ storageBytes: { limit: 0, mode: 'hard' } });
  const recorded = await createLive(place());
  expect(await refusal(recorded.ingest)).toContain('quota storageBytes');
  const passing = await createLive(place(), { recordVod: false });
  expect(await refusal(passing.ingest)).toBe('accepted');
});

test('a full library refuses to record a stream that has a publisher, runs or has ended', async () => {
  const { key, ingest } = await createLive(place(), { recordVod: false });
  const publisher = await openRtmpPublisher(ingest);
  await limit({ storageBytes: { limit: 0, mode: 'hard' } });
  const edit = (fields: object) =>
    fetch(`${service.apiUrl}/library/1/live/${key.mediaId}`, {
      method: 'PUT',
      headers: { AccessKey: LIBRARY_KEY, 'Content-Type': 'application/json' },
      body: JSON.stringify(fields),
    });
  const expectRefusal = async (fields: object) => {
    const { status, headers } = await edit(fields);
    expect([status, headers.get('x-millrace-error')]).toEqual([403, 'quota-reached']);
  };
  expect((await catalogue.streams.load(key)).stream.state).toBe('preview');
  await expectRefusal({ recordVod: true });
  await expectRefusal({ dvrEnabled: true, dvrWindowSeconds: 60 });
  await catalogue.streams.change(key, startStream);
  await expectRefusal({ recordVod: true });
  await catalogue.streams.change(key, stopStream);
  publisher.close();
  await expectRefusal({ recordVod: true });
  expect((await edit({ title: 'Another title' })).status).toBe(200);
  await limit({ storageBytes: null });
  expect((await edit({ recordVod: true })).status).toBe(200);
});
