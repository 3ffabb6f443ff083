import type HlsEngine from 'hls.js';
import type { Browser } from 'playwright-core';
import { HLS_JS, openScriptPage } from '../../../test/delivery/in-page.ts';
import { GRID } from './clock-publisher.ts';

/** Age of the displayed frame at each sample, in ms, and number of stalls. */
export type GlassToGlass = { latenciesMs: number[]; stalls: number };

/**
 * Interval between samples, about one per frame, and the time without progress after which a player counts as stalled,
 * in ms.
 */
const LOOKS = { lookMs: 40, stallMs: 300 } as const;
/** Minimum fraction of possible samples: the frame may change while it is read, and the machine may be busy. */
const MIN_READ = 0.5;

type Asked = { address: string; isLowLatency: boolean; settleMs: number; measureMs: number };

/**
 * Plays a stream whose frames show the time, and reads the age of the displayed frame many times per second. The age
 * grows during a stall. A player that has not started counts as stalled.
 */
export async function measureGlass(browser: Browser, origin: string, asked: Asked): Promise<GlassToGlass> {
  const page = await openScriptPage(browser, origin, HLS_JS);
  try {
    const found = await page.evaluate(readClock, { ...asked, ...LOOKS, grid: GRID });
    const least = (asked.measureMs / LOOKS.lookMs) * MIN_READ;
    if (found.latenciesMs.length < least) {
      throw new Error(
        `Expected ${least} frames with a readable time in ${asked.address}, got ${found.latenciesMs.length}.`,
      );
    }
    return found;
  } finally {
    await page.close();
  }
}

type Reading = Asked & typeof LOOKS & { grid: typeof GRID };

async function readClock({ address, isLowLatency, settleMs, measureMs, lookMs, stallMs, grid }: Reading) {
  const video = document.querySelector('video') as HTMLVideoElement;
  // The script tag defined the single export of hls.js.
  const { Hls } = window as unknown as { Hls: typeof HlsEngine };
  const hls = new Hls({ lowLatencyMode: isLowLatency, liveSyncOnStallIncrease: 0, maxLiveSyncPlaybackRate: 1.5 });
  hls.on(Hls.Events.ERROR, (_, { fatal }) => (fatal ? hls.startLoad() : undefined));
  hls.loadSource(address);
  hls.attachMedia(video);
  const canvas = new OffscreenCanvas(grid.columns * 10, grid.rows * 10);
  const context = canvas.getContext('2d', { willReadFrequently: true }) as OffscreenCanvasRenderingContext2D;
  const found = { latenciesMs: [] as number[], stalls: 0 };
  const read = (nowMs: number): number | null => {
    context.drawImage(video, 0, 0, canvas.width, canvas.height);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    const cells = Array.from({ length: grid.columns * grid.rows }, (_, index) => {
      const [x, y] = [(index % grid.columns) * 10 + 5, Math.floor(index / grid.columns) * 10 + 5];
      return (data[(y * canvas.width + x) * 4] ?? 0) > 127;
    });
    const bits = cells.slice(0, grid.bits);
    const isOdd = bits.filter(Boolean).length % 2 === 1;
    if (cells[grid.bits] !== isOdd || cells[grid.bits + 1] === isOdd) return null;
    const shownMs = bits.reduce((value, bit) => value * 2 + Number(bit), 0);
    return (nowMs % 2 ** grid.bits) - shownMs;
  };
  await video.play().catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  const startedMs = performance.now();
  let moved = { sec: video.currentTime, atMs: startedMs, isStalled: video.readyState < video.HAVE_FUTURE_DATA };
  if (moved.isStalled) found.stalls += 1;
  while (performance.now() < startedMs + measureMs) {
    await new Promise((resolve) => setTimeout(resolve, lookMs));
    const latencyMs = read(Date.now());
    if (latencyMs !== null) found.latenciesMs.push(latencyMs);
    const nowMs = performance.now();
    if (video.currentTime > moved.sec) moved = { sec: video.currentTime, atMs: nowMs, isStalled: false };
    else if (!moved.isStalled && nowMs - moved.atMs > stallMs) {
      moved.isStalled = true;
      found.stalls += 1;
    }
  }
  return found;
}
