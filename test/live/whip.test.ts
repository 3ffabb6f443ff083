import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopStream } from '../../src/catalog/live/live-stream.ts';
import { HLS_JS, openScriptPage } from '../delivery/in-page.ts';
import { faultsOf, playLive, readPlayback } from './live-player.ts';
import { type LiveRoom, openLiveRoom } from './live-room.ts';
import { framesOf, readText, startLive, until } from './live-service.ts';

const FAKE_CAMERA = [
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  '--allow-loopback-in-peer-connection',
  // The page is no real one of this machine, and so may not reach other ports of it.
  '--disable-features=LocalNetworkAccessChecks',
];

let room: LiveRoom;
beforeAll(async () => {
  room = await openLiveRoom({ MILLRACE_ICE_SERVERS: 'stun:127.0.0.1:9' }, FAKE_CAMERA);
});
afterAll(() => room.close());

type Answered = { status: number; location: string; etag: string; link: string; body: string };

/** Publishes the fake camera and microphone of a page by WHIP, until the page is closed. */
function publishFromPage(page: Page, endpoint: string, streamKey: string): Promise<Answered> {
  return page.evaluate(
    async ({ endpoint, streamKey }) => {
      const media = await navigator.mediaDevices.getUserMedia({ video: { width: 320, height: 240 }, audio: true });
      const peer = new RTCPeerConnection();
      Object.assign(window, { peer });
      for (const track of media.getTracks()) peer.addTransceiver(track, { direction: 'sendonly' });
      await peer.setLocalDescription();
      if (peer.iceGatheringState !== 'complete') {
        await new Promise<void>((resolve) => {
          peer.onicegatheringstatechange = () => (peer.iceGatheringState === 'complete' ? resolve() : undefined);
        });
      }
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: { 'Content-Type': 'application/sdp', Authorization: `Bearer ${streamKey}` },
        body: peer.localDescription?.sdp ?? '',
      });
      const body = await response.text();
      if (response.ok) await peer.setRemoteDescription({ type: 'answer', sdp: body });
      const header = (name: string) => response.headers.get(name) ?? '';
      return {
        status: response.status,
        location: header('Location'),
        etag: header('ETag'),
        link: header('Link'),
        body,
      };
    },
    { endpoint, streamKey },
  );
}

test('the camera of a browser plays in a browser, and its session is changed and ended', async () => {
  const { key, streamKey, listeners, base } = await startLive(room);
  const endpoint = `http://127.0.0.1:${listeners.whip}/whip`;
  const page = await openScriptPage(room.browser, room.service.edgeUrl, HLS_JS);
  expect(await publishFromPage(page, endpoint, 'bunnylive_unknown')).toMatchObject({ status: 401 });
  expect((await room.catalogue.streams.load(key)).ingest.primaryLive).toBe(false);
  const answered = await publishFromPage(page, endpoint, streamKey);
  expect(answered).toMatchObject({ status: 201, link: '<stun:127.0.0.1:9>; rel="ice-server"' });
  const session = new URL(answered.location, endpoint);
  const viewer = await playLive(room.browser, room.service.edgeUrl, `${base}/playlist.m3u8`);
  await until(async () => ((await readPlayback(viewer)).timeSec > 3 ? true : null), 'playback', 60_000);
  const { errors } = await readPlayback(viewer);
  expect(faultsOf(errors)).toEqual([]);
  const patch = (headers: Record<string, string>) =>
    fetch(session, { method: 'PATCH', headers, body: 'a=mid:0\r\na=end-of-candidates\r\n' }).then(
      ({ status }) => status,
    );
  const fragment = { 'Content-Type': 'application/trickle-ice-sdpfrag' };
  expect([
    await patch({}),
    await patch(fragment),
    await patch({ ...fragment, 'If-Match': '"another"' }),
    await patch({ ...fragment, 'If-Match': answered.etag }),
  ]).toEqual([415, 428, 412, 204]);
  expect((await fetch(session, { method: 'DELETE' })).status).toBe(200);
  expect((await fetch(session, { method: 'DELETE' })).status).toBe(404);
  await room.catalogue.streams.change(key, stopStream);
  await until(async () => {
    const media = /\n(r\/.*\.m3u8)/.exec((await readText(`${base}/playlist.m3u8`)) ?? '')?.[1];
    return (await readText(`${base}/${media}`))?.includes('#EXT-X-ENDLIST') ? true : null;
  }, 'the video');
  const found = await framesOf(`${base}/playlist.m3u8`);
  expect(found).toMatchObject({ errors: '', video: 'h264', audio: 'aac' });
  expect(found.videoFrames).toBeGreaterThan(40);
  expect(found.audioFrames).toBeGreaterThan(100);
}, 150_000);
