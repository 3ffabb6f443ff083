import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SchemeName } from '../../src/ports/drm-key-source.ts';
import { encodeRendition, encodeSlices } from '../support/media/read-test-protection.ts';
import { type DrmSite, startDrmSite } from './drm-site.ts';

/** Result of a page: frames decoded, key statuses, and all errors. */
type Playback = { frames: number; endedAtSec: number; keyStatuses: string[]; errors: string[] };

const SEGMENTS = 3;
const FRAMES = 72;
/** The request of each track names the keys of all three groups. */
const KEY_STATUSES = 6;
/** Timeout that only a hang exceeds. A browser that just started is slow on a busy machine. */
const HANG_MS = 60_000;
const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update', '--autoplay-policy=no-user-gesture-required'],
];

const tracks = { video: await encodeRendition('video', SEGMENTS), audio: await encodeRendition('audio', SEGMENTS) };
let browser: Browser;

beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: FLAGS,
    timeout: 120_000,
  });
});

afterAll(async () => {
  await browser.close();
});

async function watch(protection: SchemeName, play: (page: Page) => Promise<Playback>, shown = tracks) {
  const site: DrmSite = await startDrmSite(shown, protection);
  const page = await browser.newPage();
  try {
    await page.goto(site.url);
    return { ...(await play(page)), licences: site.licences() };
  } finally {
    await page.close();
    await site.close();
  }
}

/** Uses only Encrypted Media Extensions and Media Source Extensions, as specified. */
function playWithEme(scheme: 'cenc' | 'cbcs', segments: { video: number; audio: number }) {
  return (page: Page): Promise<Playback> =>
    page.evaluate(
      async ({ encryptionScheme, counts, wanted, hangMs }) => {
        const types = { video: 'video/mp4; codecs="avc1.64000d"', audio: 'audio/mp4; codecs="mp4a.40.2"' };
        const video = document.querySelector('video') as HTMLVideoElement;
        const seen = { keyStatuses: [] as string[], errors: [] as string[] };
        const access = await navigator.requestMediaKeySystemAccess('org.w3.clearkey', [
          {
            initDataTypes: ['cenc'],
            videoCapabilities: [{ contentType: types.video, encryptionScheme }],
            audioCapabilities: [{ contentType: types.audio, encryptionScheme }],
          },
        ]);
        const mediaKeys = await access.createMediaKeys();
        await video.setMediaKeys(mediaKeys);
        video.addEventListener('encrypted', (event) => {
          const session = mediaKeys.createSession();
          session.addEventListener('message', async ({ message }) => {
            const licence = await fetch('/licence', { method: 'POST', body: message });
            await session.update(await licence.arrayBuffer());
            for (const status of session.keyStatuses.values()) seen.keyStatuses.push(status);
          });
          const asked = event.initData ? session.generateRequest(event.initDataType, event.initData) : null;
          asked?.catch((error: Error) => seen.errors.push(error.message));
        });
        const source = new MediaSource();
        video.src = URL.createObjectURL(source);
        await new Promise((resolve) => source.addEventListener('sourceopen', resolve, { once: true }));
        const buffers = [source.addSourceBuffer(types.video), source.addSourceBuffer(types.audio)];
        for (const [index, name] of (['video', 'audio'] as const).entries()) {
          const buffer = buffers[index] as SourceBuffer;
          const paths = Array.from({ length: counts[name] }, (_, number) => `${name}/${number}.m4s`);
          for (const file of [`${name}/init.mp4`, ...paths]) {
            const bytes = await (await fetch(file)).arrayBuffer();
            buffer.appendBuffer(bytes);
            await new Promise((resolve) => buffer.addEventListener('updateend', resolve, { once: true }));
          }
        }
        source.endOfStream();
        await new Promise<void>((resolve) => {
          setTimeout(() => resolve(void seen.errors.push('not ended in time')), hangMs);
          video.addEventListener('ended', () => resolve());
          video.addEventListener('error', () => resolve(void seen.errors.push(video.error?.message ?? 'unknown')));
          video.play().catch((error: Error) => seen.errors.push(error.message));
        });
        // Reports of the decoder and of keys may arrive after the end.
        const frames = () => video.getVideoPlaybackQuality().totalVideoFrames;
        const isMissing = () => frames() < wanted.frames || seen.keyStatuses.length < wanted.keyStatuses;
        for (let left = 100; left > 0 && isMissing(); left -= 1) await new Promise((next) => setTimeout(next, 100));
        return { frames: frames(), endedAtSec: video.currentTime, ...seen };
      },
      {
        encryptionScheme: scheme,
        counts: segments,
        wanted: { frames: FRAMES, keyStatuses: KEY_STATUSES },
        hangMs: HANG_MS,
      },
    );
}

describe.each(['cenc', 'cbcs'] as const)('%s in Chromium with ClearKey', (scheme) => {
  test('plays to the end through EME and MSE', async () => {
    const counts = { video: tracks.video.segments.length, audio: tracks.audio.segments.length };
    const seen = await watch(scheme, playWithEme(scheme, counts));
    expect(seen).toMatchObject({ frames: FRAMES, errors: [], licences: 2 });
    expect(seen.keyStatuses).toEqual(Array(KEY_STATUSES).fill('usable'));
    expect(seen.endedAtSec).toBeCloseTo(SEGMENTS, 0);
  });

  test('plays frames with more slices than can be distinguished', async () => {
    const sliced = { ...tracks, video: await encodeSlices(64) };
    const counts = { video: sliced.video.segments.length, audio: sliced.audio.segments.length };
    const seen = await watch(scheme, playWithEme(scheme, counts), sliced);
    expect(seen).toMatchObject({ frames: FRAMES, errors: [] });
  });
});
