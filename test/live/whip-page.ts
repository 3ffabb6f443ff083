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

/**
 * Publishes flashes and beeps over WHIP, until the page is closed: a white flash and a beep at each full second of the
 * page's audio clock. The pitch of a beep and the number in the picture tell the time, as in `syncSourceArgv`. The page
 * keeps its connection in `window.peer`, and the time of the clock in `window.atSec`.
 */
export function publishSyncFromPage(
  page: Page,
  publisher: Pick<PagePublisher, 'endpoint' | 'streamKey'>,
): Promise<number> {
  return page.evaluate(async ({ endpoint, streamKey }) => {
    const [width, height, bits, rate, pitches] = [320, 240, 16, 30, 8];
    const sound = new AudioContext({ sampleRate: 48_000 });
    const microphone = sound.createMediaStreamDestination();
    const canvas = Object.assign(document.createElement('canvas'), { width, height });
    const context = canvas.getContext('2d') as CanvasRenderingContext2D;
    const atSec = () => sound.currentTime;
    const draw = () => {
      const sec = atSec();
      context.fillStyle = `hsl(${(sec * 40) % 360} 60% 30%)`;
      context.fillRect(0, 0, width, height);
      context.fillStyle = sec >= 1 && sec % 1 < 0.0667 ? 'white' : 'black';
      context.fillRect(0, height * 0.4, width, height * 0.4);
      for (let bit = 0; bit < bits; bit += 1) {
        context.fillStyle = Math.floor(sec * rate) & (2 ** bit) ? 'white' : 'black';
        context.fillRect((width * bit) / bits, height * 0.8, width / bits, height * 0.2);
      }
    };
    setInterval(draw, 15);
    let scheduled = 1;
    const beep = () => {
      for (; scheduled < atSec() + 3; scheduled += 1) {
        const [tone, volume] = [sound.createOscillator(), sound.createGain()];
        tone.frequency.value = 600 + 200 * (scheduled % pitches);
        volume.gain.value = 0.5;
        tone.connect(volume).connect(microphone);
        tone.start(scheduled);
        tone.stop(scheduled + 0.0666);
      }
    };
    beep();
    setInterval(beep, 500);
    const peer = new RTCPeerConnection();
    Object.assign(window, { peer, atSec });
    for (const track of [...canvas.captureStream(rate).getVideoTracks(), ...microphone.stream.getAudioTracks()]) {
      // The size must not change on a busy machine, because another period would begin.
      if (track.kind === 'video') track.contentHint = 'detail';
      peer.addTransceiver(track, { direction: 'sendonly' });
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
    if (response.ok) await peer.setRemoteDescription({ type: 'answer', sdp: await response.text() });
    return response.status;
  }, publisher);
}
