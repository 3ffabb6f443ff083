import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HLS_JS, openScriptPage } from '../delivery/in-page.ts';
import { type LiveFixture, openLiveFixture } from './live-fixture.ts';
import { startLive, until } from './live-service.ts';
import { WATCHERS, type Watcher } from './live-watchers.ts';
import { statusOf } from './odd-stream.ts';
import { countSegments } from './read-recording.ts';
import { FAKE_CAMERA, publishFromPage } from './whip-page.ts';

let fixture: LiveFixture;
beforeAll(async () => {
  fixture = await openLiveFixture({ MILLRACE_LIVE_CORES: '0' }, FAKE_CAMERA);
});
afterAll(() => fixture.close());

/** `tracks`: the tracks that were replaced. */
type PeerWindow = { peer: RTCPeerConnection; tracks: Map<RTCRtpSender, MediaStreamTrack | null> };
type Kind = 'audio' | 'video';

const kinds = { video: ['video'], audio: ['audio'], both: ['video', 'audio'] } as const;

/** Mutes tracks, or unmutes them. A browser sends black pictures and silence for them. */
const enable = (page: Page, names: readonly Kind[], isEnabled: boolean) =>
  page.evaluate(
    ({ names, isEnabled }) => {
      // `publishFromPage` set this variable.
      const { peer } = window as unknown as PeerWindow;
      for (const { track } of peer.getSenders())
        if (track !== null && names.some((name) => name === track.kind)) track.enabled = isEnabled;
    },
    { names, isEnabled },
  );

/** Removes tracks, or restores them. */
const replace = (page: Page, names: readonly Kind[], isBack: boolean) =>
  page.evaluate(
    async ({ names, isBack }) => {
      const page = window as unknown as PeerWindow;
      page.tracks ??= new Map(page.peer.getSenders().map((sender) => [sender, sender.track]));
      for (const [sender, track] of page.tracks) {
        if (names.some((name) => name === track?.kind)) await sender.replaceTrack(isBack ? track : null);
      }
    },
    { names, isBack },
  );

/** Stops the capture, like a viewer who ends screen sharing in the browser's own bar. */
const stop = (page: Page, names: readonly Kind[]) =>
  page.evaluate((wanted) => {
    // `publishFromPage` set this variable.
    const { peer } = window as unknown as PeerWindow;
    for (const { track } of peer.getSenders()) if (wanted.some((name) => name === track?.kind)) track?.stop();
  }, names);

type Change = { title: string; away(page: Page): Promise<void>; back: ((page: Page) => Promise<void>) | null };

const muted = (name: keyof typeof kinds): Change => ({
  title: `mutes and unmutes: ${name}`,
  away: (page) => enable(page, kinds[name], false),
  back: (page) => enable(page, kinds[name], true),
});
const taken = (name: keyof typeof kinds): Change => ({
  title: `removes and restores: ${name}`,
  away: (page) => replace(page, kinds[name], false),
  back: (page) => replace(page, kinds[name], true),
});
const stopped: Change = { title: 'stops for good: video', away: (page) => stop(page, kinds.video), back: null };

async function playOn({ name, read }: Watcher & { name: string }, sec: number): Promise<void> {
  const fromSec = (await read()).playedSec;
  await until(async () => ((await read()).playedSec > fromSec + sec ? true : null), `playback in ${name}`, 60_000);
}

// `whip-changes.test.ts` covers audio that does not return.
test.each([muted('video'), muted('both'), taken('video'), taken('audio'), taken('both'), stopped])(
  'viewers keep watching when a publishing browser $title',
  { timeout: 150_000 },
  async ({ title, away, back }) => {
    const stream = await startLive(fixture);
    const origin = fixture.service.edgeUrl;
    const publisher = await openScriptPage(fixture.browser, origin, HLS_JS);
    const endpoint = `http://127.0.0.1:${stream.listeners.whip}/whip`;
    await publishFromPage(publisher, { endpoint, streamKey: stream.streamKey });
    await until(async () => ((await countSegments(stream.base)) >= 2 ? true : null), 'segments');
    const place = { browser: fixture.browser, origin, stream };
    const players = ['player page', 'hls.js'] as const;
    const watchers = await Promise.all(players.map(async (name) => ({ name, ...(await WATCHERS[name](place)) })));
    const all = (sec: number) => Promise.all(watchers.map((watcher) => playOn(watcher, sec)));
    await all(3);
    await away(publisher);
    // Nothing arrives while both tracks are removed. The stream continues when they return.
    const isSilent = title === 'removes and restores: both';
    if (isSilent) await sleep(6_000);
    else await all(7);
    await back?.(publisher);
    await all(6);
    const found = await Promise.all(watchers.map(async ({ name, read }) => ({ name, ...(await read()) })));
    for (const { close } of watchers) await close();
    await publisher.close();
    for (const { name, holes, errors, stalls } of found) {
      const faults = errors.filter((error) => !isSilent || !error.startsWith('bufferStalledError'));
      expect({ name, faults, holes }).toEqual({ name, faults: [], holes: [] });
      expect(stalls.length, `${name}: ${stalls}`).toBeLessThanOrEqual(isSilent ? 1 : 0);
    }
  },
);

test('a publishing browser that stops sending is disconnected with a reason', {
  timeout: 90_000,
}, async () => {
  const stream = await startLive(fixture);
  const publisher = await openScriptPage(fixture.browser, fixture.service.edgeUrl, HLS_JS);
  const endpoint = `http://127.0.0.1:${stream.listeners.whip}/whip`;
  await publishFromPage(publisher, { endpoint, streamKey: stream.streamKey });
  await until(async () => ((await countSegments(stream.base)) >= 1 ? true : null), 'a segment');
  await replace(publisher, kinds.both, false);
  const reason = await until(
    async () => {
      const { transcoding } = await statusOf(fixture, stream);
      return transcoding?.state === 'idle' ? transcoding.reason : null;
    },
    'the reason of the disconnection',
    60_000,
  );
  expect(reason).toMatch(/^The encoder was disconnected\. No usable audio or video arrived for 15 s/);
  await publisher.close();
});
