import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HLS_JS, openScriptPage } from '../delivery/in-page.ts';
import { type LiveFixture, openLiveFixture } from './live-fixture.ts';
import { faultsOf, playLive, readPlayback } from './live-player.ts';
import { startLive, until } from './live-service.ts';
import { FAKE_CAMERA, publishFromPage } from './whip-page.ts';

let fixture: LiveFixture;
beforeAll(async () => {
  fixture = await openLiveFixture({ MILLRACE_LIVE_CORES: '0' }, FAKE_CAMERA);
});
afterAll(() => fixture.close());

type PeerWindow = { peer: RTCPeerConnection };

const mute = (page: Page) =>
  page.evaluate(() => {
    // `publishFromPage` set this variable.
    const { peer } = window as unknown as PeerWindow;
    for (const { track } of peer.getSenders()) if (track?.kind === 'audio') track.enabled = false;
  });

const takeMicrophone = (page: Page) =>
  page.evaluate(async () => {
    // `publishFromPage` set this variable.
    const { peer } = window as unknown as PeerWindow;
    await peer
      .getSenders()
      .find(({ track }) => track?.kind === 'audio')
      ?.replaceTrack(null);
  });

/** Shows moving pictures of another size from now on. */
const changeCamera = (page: Page) =>
  page.evaluate(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 480, height: 270 });
    const context = canvas.getContext('2d') as CanvasRenderingContext2D;
    let drawn = 0;
    setInterval(() => {
      drawn += 1;
      context.fillStyle = `hsl(${drawn % 360} 80% 50%)`;
      context.fillRect(0, 0, canvas.width, canvas.height);
    }, 50);
    const [track] = canvas.captureStream().getVideoTracks() as [MediaStreamTrack];
    // `publishFromPage` set this variable.
    const { peer } = window as unknown as PeerWindow;
    await peer
      .getSenders()
      .find((sender) => sender.track?.kind === 'video')
      ?.replaceTrack(track);
  });

test.each([
  { title: 'mutes its microphone', options: {}, change: mute },
  { title: 'pauses its audio in silence (DTX)', options: { usesDtx: true }, change: mute },
  { title: 'takes its microphone away', options: {}, change: takeMicrophone },
  { title: 'shows another camera', options: {}, change: changeCamera },
  { title: 'shows a still picture', options: { isStill: true }, change: null },
])(
  'playback continues for viewers when a publishing browser $title',
  { timeout: 150_000 },
  async ({ options, change }) => {
    const { streamKey, listeners, base } = await startLive(fixture);
    const publisher = await openScriptPage(fixture.browser, fixture.service.edgeUrl, HLS_JS);
    const endpoint = `http://127.0.0.1:${listeners.whip}/whip`;
    expect(await publishFromPage(publisher, { endpoint, streamKey, ...options })).toMatchObject({ status: 201 });
    const viewer = await playLive(fixture.browser, fixture.service.edgeUrl, `${base}/playlist.m3u8`);
    const untilPlayed = (sec: number) =>
      until(async () => ((await readPlayback(viewer)).timeSec > sec ? true : null), 'playback', 60_000);
    await untilPlayed(3);
    await change?.(publisher);
    await untilPlayed((await readPlayback(viewer)).timeSec + 10);
    const { errors, holes } = await readPlayback(viewer);
    for (const page of [viewer, publisher]) await page.close();
    expect(holes).toEqual([]);
    expect(faultsOf(errors)).toEqual([]);
  },
);
