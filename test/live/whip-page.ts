import type { Page } from 'playwright-core';

/** Options of a browser whose pages publish over WHIP. */
export const FAKE_CAMERA = [
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  '--allow-loopback-in-peer-connection',
  // This machine does not really serve the page, so the browser would block requests to its other ports.
  '--disable-features=LocalNetworkAccessChecks',
];

/**
 * `isStill`: instead of the fake camera, sends one picture every three seconds after the first six seconds, like a
 * shared screen that does not change. `usesDtx`: the answer asks for pauses in the audio while it is silent. `codec`:
 * the only video codec in the offer. `kinds`: tracks in the offer. `videoAfterSec`: delay of the first video frame.
 */
type PagePublisher = {
  endpoint: string;
  streamKey: string;
  isStill?: boolean;
  usesDtx?: boolean;
  codec?: string;
  kinds?: readonly string[];
  videoAfterSec?: number;
};

type Answered = { status: number; location: string; etag: string; link: string; body: string };

/**
 * Publishes the fake camera and microphone of a page over WHIP, until the page is closed. The page keeps its connection
 * in `window.peer`.
 */
export function publishFromPage(page: Page, publisher: PagePublisher): Promise<Answered> {
  return page.evaluate(async ({ endpoint, streamKey, isStill, usesDtx, codec, kinds, videoAfterSec = 0 }) => {
    const media = await navigator.mediaDevices.getUserMedia({ video: { width: 320, height: 240 }, audio: true });
    if (isStill === true) {
      const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 240 });
      const context = canvas.getContext('2d') as CanvasRenderingContext2D;
      const [track] = canvas.captureStream(0).getVideoTracks() as [CanvasCaptureMediaStreamTrack];
      let drawn = 0;
      const draw = () => {
        drawn += 1;
        context.fillStyle = drawn % 2 === 0 ? 'navy' : 'maroon';
        context.fillRect(0, 0, canvas.width, canvas.height);
        track.requestFrame();
      };
      setInterval(draw, 3_000);
      for (const camera of media.getVideoTracks()) {
        camera.stop();
        media.removeTrack(camera);
      }
      media.addTrack(track);
    }
    const peer = new RTCPeerConnection();
    Object.assign(window, { peer });
    for (const track of media.getTracks()) {
      if (kinds?.includes(track.kind) === false) continue;
      const isLate = track.kind === 'video' && videoAfterSec > 0;
      const transceiver = peer.addTransceiver(isLate ? 'video' : track, { direction: 'sendonly' });
      if (isLate) setTimeout(() => void transceiver.sender.replaceTrack(track), videoAfterSec * 1_000);
      if (codec === undefined || track.kind !== 'video') continue;
      const known = RTCRtpSender.getCapabilities('video')?.codecs ?? [];
      transceiver.setCodecPreferences(known.filter(({ mimeType }) => mimeType === `video/${codec}`));
    }
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
    const sdp = usesDtx === true ? body.replace(/^(a=fmtp:\d+ .*minptime.*?)\r?$/gm, '$1;usedtx=1') : body;
    if (response.ok) await peer.setRemoteDescription({ type: 'answer', sdp });
    const header = (name: string) => response.headers.get(name) ?? '';
    return {
      status: response.status,
      location: header('Location'),
      etag: header('ETag'),
      link: header('Link'),
      body,
    };
  }, publisher);
}
