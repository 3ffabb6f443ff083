import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HLS_JS, openScriptPage } from '../delivery/in-page.ts';
import { measureAvSync, SYNC_RATE } from '../support/av-sync.ts';
import { type LiveFixture, openLiveFixture } from './live-fixture.ts';
import { readText, startLive, until } from './live-service.ts';
import { recordingOf } from './odd-stream.ts';
import { countSegments } from './read-recording.ts';
import { FAKE_CAMERA, publishSyncFromPage } from './whip-page.ts';

/** Maximum median offset. Pages draw on a busy machine up to two frames late. */
const MAX_OFFSET_MS = 60;
/** Time until both tracks must be back, in seconds. */
const RETURN_SEC = 1;
const [BEFORE_MS, AWAY_MS, AFTER_MS] = [6_000, 6_000, 7_000];

let fixture: LiveFixture;
beforeAll(async () => {
  const autoplay = '--autoplay-policy=no-user-gesture-required';
  fixture = await openLiveFixture({ MILLRACE_LIVE_CORES: '0' }, [...FAKE_CAMERA, autoplay]);
});
afterAll(() => fixture.close());

/** `atSec` returns the time of the page's audio clock, in seconds. `tracks`: the tracks that were removed. */
type PeerWindow = { peer: RTCPeerConnection; atSec(): number; tracks?: Map<RTCRtpSender, MediaStreamTrack | null> };

/** Removes both tracks, or restores them. Returns the time of the page. */
const replaceBoth = (page: Page, isBack: boolean) =>
  page.evaluate(async (isBack) => {
    // `publishSyncFromPage` set these variables.
    const page = window as unknown as PeerWindow;
    page.tracks ??= new Map(page.peer.getSenders().map((sender) => [sender, sender.track]));
    for (const [sender, track] of page.tracks) await sender.replaceTrack(isBack ? track : null);
    return page.atSec();
  }, isBack);

/** Mutes both tracks, or unmutes them. A browser sends black pictures and silence for them. */
const enableBoth = (page: Page, isEnabled: boolean) =>
  page.evaluate((isEnabled) => {
    // `publishSyncFromPage` set these variables.
    const { peer, atSec } = window as unknown as PeerWindow;
    for (const { track } of peer.getSenders()) if (track !== null) track.enabled = isEnabled;
    return atSec();
  }, isEnabled);

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

test.each([
  // Chromium stops the clock of its audio until the track returns.
  { title: 'removes and restores', change: replaceBoth },
  // The black pictures have other parameter sets.
  { title: 'mutes and unmutes', change: enableBoth },
])(
  'audio and video stay in sync in one period when a publishing browser $title both tracks',
  { timeout: 150_000 },
  async ({ change }) => {
    const stream = await startLive(fixture);
    const publisher = await openScriptPage(fixture.browser, fixture.service.edgeUrl, HLS_JS);
    const endpoint = `http://127.0.0.1:${stream.listeners.whip}/whip`;
    await publishSyncFromPage(publisher, { endpoint, streamKey: stream.streamKey });
    await until(async () => ((await countSegments(stream.base)) >= 2 ? true : null), 'segments');
    await sleep(BEFORE_MS);
    const awaySec = await change(publisher, false);
    await sleep(AWAY_MS);
    const backSec = await change(publisher, true);
    await sleep(AFTER_MS);
    await publisher.close();
    const recording = await recordingOf(fixture, stream);
    expect((await readText(recording))?.match(/#EXT-X-MAP/g)).toHaveLength(1);

    const { points, silentFlashesSec, pictures, soundHoles } = await measureAvSync(`${stream.base}/playlist.m3u8`);
    expect(soundHoles).toEqual([]);
    // The number of a picture is the time of the page at which it was drawn, in frames.
    const pageSecOf = (sec: number) => (pictures.find(({ atSec }) => atSec === sec)?.number ?? Number.NaN) / SYNC_RATE;
    const [before, after] = [points.filter(isBefore), points.filter(isAfter)];
    function isBefore({ atSec }: { atSec: number }): boolean {
      return pageSecOf(atSec) < awaySec;
    }
    function isAfter({ atSec }: { atSec: number }): boolean {
      return pageSecOf(atSec) > backSec + RETURN_SEC;
    }
    expect(before.length).toBeGreaterThan(3);
    expect(after.length).toBeGreaterThan(3);
    expect(silentFlashesSec.filter((atSec) => isAfter({ atSec }))).toEqual([]);
    // Until both tracks have sent reports, in the first seconds, the offset is that of their arrival.
    expect(Math.abs(medianOf(after.map(({ offsetMs }) => offsetMs)))).toBeLessThan(MAX_OFFSET_MS);
  },
);
