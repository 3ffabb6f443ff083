import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';
import { findProcesses, killAll } from '../support/service-processes.ts';
import { ended, type LiveCatalogue, openLiveCatalogue, readText, startLive, until } from './live-service.ts';
import { makeNumberedClips, type NumberedClips, publishClip } from './numbered-publisher.ts';
import { countSegments, mediaPlaylistOf, missingOf, readMedia, readRuns } from './read-recording.ts';

let service: Service;
let clips: NumberedClips;
let catalogue: LiveCatalogue;
beforeAll(async () => {
  [service, clips] = await Promise.all([startService(null), makeNumberedClips()]);
  catalogue = await openLiveCatalogue(service);
});
afterAll(async () => {
  await catalogue.database.close();
  await discard(service);
});

type Stream = Awaited<ReturnType<typeof goLive>>;

/** Starts a stream. `publish` sends a numbered clip to the current ingest process. */
async function goLive() {
  const { key, streamKey, base } = await startLive({ service, catalogue });
  const publish = async (clip: string) => {
    const port = await until(async () => {
      const health = await service.health().catch(() => null);
      return health?.status === 'ok' ? (health.listeners.rtmp ?? null) : null;
    }, 'an ingest process');
    return publishClip(`rtmp://127.0.0.1:${port}/live/${streamKey}`, clip);
  };
  return { key, publish, base };
}

/** Publishes until `segments` more segments are listed, then kills the publisher. */
async function publishFor({ publish, base }: Stream, clip: string, segments: number): Promise<void> {
  const before = await countSegments(base);
  const publisher = await publish(clip);
  const isThere = async () => ((await countSegments(base)) >= before + segments ? true : null);
  await until(isThere, `${segments} more segments`, 60_000);
  publisher.kill('SIGKILL');
  await ended(publisher);
}

const stop = ({ key }: Stream) =>
  fetch(`${service.apiUrl}/library/1/live/${key.mediaId}/stop`, { method: 'PUT', headers: { AccessKey: LIBRARY_KEY } });

async function recordingOf({ base }: Stream): Promise<string> {
  return until(
    async () => {
      const text = await readMedia(base);
      return text?.includes('#EXT-X-ENDLIST') ? text : null;
    },
    'the video',
    60_000,
  );
}

test('an outage of 40 s neither ends nor splits a stream, and a repeated stop creates one complete video', async () => {
  const stream = await goLive();
  await publishFor(stream, clips.small, 2);
  const address = await mediaPlaylistOf(stream.base);
  await sleep(40_000);
  expect((await catalogue.streams.load(stream.key)).stream.state).toBe('running');
  const publisher = await stream.publish(clips.small);
  await until(async () => ((await countSegments(stream.base)) >= 4 ? true : null), 'two more segments', 60_000);
  const live = (await readText(address)) ?? '';
  expect(live).not.toContain('#EXT-X-DISCONTINUITY\n');
  const answers = await Promise.all([stop(stream), stop(stream)]);
  killAll(await findProcesses(service, 'role.ts api'));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  await ended(publisher);
  const recording = await recordingOf(stream);
  expect(missingOf(address, live, recording)).toEqual([]);
  expect((await readRuns(address)).map(({ from }) => from)).toEqual([0, 0]);
  expect(await catalogue.streams.load(stream.key)).toMatchObject({ isVideo: true, stream: { state: 'ended' } });
}, 240_000);
