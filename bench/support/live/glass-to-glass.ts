import type HlsEngine from 'hls.js';
import type { Browser } from 'playwright-core';
import { HLS_JS, openScriptPage } from '../../../test/delivery/in-page.ts';
import { GRID } from './clock-publisher.ts';

/** How late each picture was shown, ms, and how often the player had nothing to show. */
export type GlassToGlass = { latenciesMs: number[]; stalls: number };

type Asked = { address: string; isLowLatency: boolean; settleMs: number; measureMs: number };

/** Plays a stream whose pictures show the time, and reads from each picture shown how old it is. */
export async function measureGlass(browser: Browser, origin: string, asked: Asked): Promise<GlassToGlass> {
  const page = await openScriptPage(browser, origin, HLS_JS);
  try {
    return await page.evaluate(readClock, { ...asked, grid: GRID });
  } finally {
    await page.close();
  }
}

async function readClock({ address, isLowLatency, settleMs, measureMs, grid }: Asked & { grid: typeof GRID }) {
  const video = document.querySelector('video') as HTMLVideoElement;
  // The script tag put hls.js's one export there.
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
    const cells = Array.from({ length: grid.columns * grid.rows }, (_, at) => {
      const [x, y] = [(at % grid.columns) * 10 + 5, Math.floor(at / grid.columns) * 10 + 5];
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
  let isOver = false;
  video.addEventListener('waiting', () => {
    found.stalls += 1;
  });
  const take = () => {
    const latencyMs = read(Date.now());
    if (latencyMs !== null) found.latenciesMs.push(latencyMs);
    if (!isOver) video.requestVideoFrameCallback(take);
  };
  video.requestVideoFrameCallback(take);
  await new Promise((resolve) => setTimeout(resolve, measureMs));
  isOver = true;
  return found;
}
