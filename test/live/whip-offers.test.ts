import { afterAll, beforeAll, expect, test } from 'vitest';
import { HLS_JS, openScriptPage } from '../delivery/in-page.ts';
import { type LiveFixture, openLiveFixture } from './live-fixture.ts';
import { faultsOf, playLive, readPlayback } from './live-player.ts';
import { readText, startLive, until } from './live-service.ts';
import { reasonOf, statusOf } from './odd-stream.ts';
import { FAKE_CAMERA, publishFromPage } from './whip-page.ts';

let fixture: LiveFixture;
beforeAll(async () => {
  fixture = await openLiveFixture({ MILLRACE_LIVE_CORES: '0' }, FAKE_CAMERA);
});
afterAll(() => fixture.close());

const openPublisher = () => openScriptPage(fixture.browser, fixture.service.edgeUrl, HLS_JS);
const portsOf = (sdp: string) => [...sdp.matchAll(/^m=(\w+) (\d+)/gm)].map(([, kind, port]) => `${kind} ${port}`);

test.each([
  { title: 'only audio', offer: { kinds: ['audio'] }, hasVideo: false, reason: null },
  { title: 'only video', offer: { kinds: ['video'] }, hasVideo: true, reason: null },
  { title: 'VP8 and audio', offer: { codec: 'VP8' }, hasVideo: false, reason: /A track \(video\) is left out: .* VP8/ },
  { title: 'AV1 and audio', offer: { codec: 'AV1' }, hasVideo: false, reason: /A track \(video\) is left out: .* AV1/ },
  { title: 'video that begins after 3 s', offer: { videoAfterSec: 3 }, hasVideo: true, reason: null },
  { title: 'video that begins after 10 s', offer: { videoAfterSec: 10 }, hasVideo: true, reason: null },
])(
  'a browser publishes $title, and what is left out has a reason in the answer and the status',
  async ({ offer, hasVideo, reason }) => {
    const stream = await startLive(fixture);
    const { streamKey, listeners, base } = stream;
    const publisher = await openPublisher();
    const endpoint = `http://127.0.0.1:${listeners.whip}/whip`;
    const answered = await publishFromPage(publisher, { endpoint, streamKey, ...offer });
    expect(answered.status).toBe(201);
    expect(portsOf(answered.body).includes('video 0')).toBe(reason !== null);
    if (reason !== null) expect(await reasonOf(fixture, stream)).toMatch(reason);
    const address = `${base}/playlist.m3u8`;
    const isVideo = async () => ((await readText(address)) ?? '').includes('RESOLUTION=');
    await until(async () => ((await readText(address)) === null ? null : true), 'a playlist');
    const page = await fixture.browser.newPage();
    await page.goto(`${fixture.service.edgeUrl}/embed/${stream.key.libraryId}/${stream.key.mediaId}?muted=true`);
    const video = page.locator('video');
    const read = () =>
      video.evaluate((element: HTMLVideoElement) => ({ sec: element.currentTime, widthPx: element.videoWidth }));
    await until(async () => ((await isVideo()) === hasVideo ? true : null), 'the tracks');
    const { sec } = await read();
    await until(
      async () => {
        const now = await read();
        return now.sec > sec + 5 && now.widthPx > 0 === hasVideo ? now : null;
      },
      'playback in the page',
      60_000,
    );
    const viewer = await playLive(fixture.browser, fixture.service.edgeUrl, address);
    await until(async () => ((await readPlayback(viewer)).timeSec > 4 ? true : null), 'playback', 60_000);
    const { errors, holes } = await readPlayback(viewer);
    for (const each of [viewer, page, publisher]) await each.close();
    expect([...faultsOf(errors), ...holes]).toEqual([]);
  },
  150_000,
);

test.each(['VP8', 'AV1'])(
  'refuses an offer of only %s video, and the status has the reason',
  async (codec) => {
    const stream = await startLive(fixture);
    const publisher = await openPublisher();
    const endpoint = `http://127.0.0.1:${stream.listeners.whip}/whip`;
    const offer = { endpoint, streamKey: stream.streamKey, codec, kinds: ['video'] };
    const answered = await publishFromPage(publisher, offer);
    expect(answered).toMatchObject({ status: 422, body: expect.stringContaining(`got ${codec}`) });
    expect(await reasonOf(fixture, stream)).toMatch(/^The publisher was refused. .* H.264/);
    // The reason remains after another publisher, and while the stream has an owner.
    const audio = await openPublisher();
    await publishFromPage(audio, { ...offer, kinds: ['audio'] });
    await until(async () => ((await statusOf(fixture, stream)).primaryLive === true ? true : null), 'the audio');
    expect((await statusOf(fixture, stream)).transcoding?.reason ?? null).toBeNull();
    await audio.close();
    const isIdle = async () => (await statusOf(fixture, stream)).transcoding?.state === 'idle';
    await until(async () => ((await isIdle()) ? true : null), 'the end of the audio');
    expect((await publishFromPage(publisher, offer)).status).toBe(422);
    for (let report = 0; report < 3; report += 1) {
      expect(await reasonOf(fixture, stream)).toMatch(/^The publisher was refused/);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    await publisher.close();
  },
  60_000,
);
