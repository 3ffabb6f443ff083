import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findProcesses, killAll } from '../support/service-processes.ts';
import { makeSyncClip, publishWithGaps } from './gap-publisher.ts';
import { type LiveFixture, openLiveFixture } from './live-fixture.ts';
import { ended, readText, startLive, until } from './live-service.ts';
import { WATCHERS } from './live-watchers.ts';
import { countSegments, mediaPlaylistOf } from './read-recording.ts';

/** Duration for which the encoder sends no pictures after its return, in seconds. */
const AWAY_SEC = 10;
/** Time after which a publisher that still runs was accepted, in ms. */
const MIN_SENT_MS = 3_000;

let fixture: LiveFixture;
beforeAll(async () => {
  fixture = await openLiveFixture({ MILLRACE_LIVE_CORES: '0' });
});
afterAll(() => fixture.close());

test('viewers keep the last picture if the ingest process restarts and the encoder sends audio alone', async () => {
  const stream = await startLive(fixture);
  const clip = await makeSyncClip();
  const publisher = publishWithGaps(stream.ingest, clip);
  await until(async () => ((await countSegments(stream.base)) >= 3 ? true : null), 'segments');
  const place = { browser: fixture.browser, origin: fixture.service.edgeUrl, stream };
  const names = ['player page', 'hls.js', 'Shaka, HLS', 'dash.js'] as const;
  const watchers = await Promise.all(names.map(async (name) => ({ name, ...(await WATCHERS[name](place)) })));
  const all = (sec: number) =>
    Promise.all(
      watchers.map(async ({ name, read }) => {
        const from = (await read()).playedSec;
        await until(
          async () => ((await read()).playedSec > from + sec ? true : null),
          `${sec} s of playback in ${name}`,
          60_000,
        );
      }),
    );
  await all(3);
  killAll(await findProcesses(fixture.service, 'role.ts ingest'));
  await ended(publisher);
  for (let isSent = false; !isSent; ) {
    // The listener may not be open yet. Ports stay the same across restarts.
    const next = publishWithGaps(stream.ingest, clip, { video: [[0, AWAY_SEC]] });
    isSent = await Promise.race([ended(next).then(() => false), sleep(MIN_SENT_MS, true)]);
  }
  await all(AWAY_SEC + 6);
  const playlist = await readText(await mediaPlaylistOf(stream.base));
  const found = await Promise.all(watchers.map(async ({ name, read }) => ({ name, ...(await read()) })));
  for (const { close } of watchers) await close();
  // The killed process may have lost the end of a track, which is a hole of a few frames.
  for (const { name, holes } of found) expect(holes.length, name).toBeLessThanOrEqual(1);
  expect(playlist).not.toContain('#EXT-X-DISCONTINUITY\n');
}, 240_000);
