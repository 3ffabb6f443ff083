import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keepLedger, type PictureLedger, readLedger } from '../delivery/picture-ledger.ts';
import type { PublishedFilm } from '../delivery/publish.ts';
import {
  heatOf,
  openPlayer,
  openViewingFixture,
  playTo,
  publishFilm,
  seekTo,
  sumsOf,
  type ViewingFixture,
} from '../delivery/viewing-fixture.ts';

/** Timeout that only a hang exceeds. */
const HANG_MS = 180_000;
/**
 * Maximum number of concurrent viewers. Scripts mostly wait for real time, but with more viewers a busy machine shows
 * too few frames.
 */
const VIEWERS_AT_ONCE = 4;
/** Tolerance around a boundary between seconds, within which a frame may count for either second. */
const NEAR_SEC = 0.2;
/** Number of whole seconds of the test video, which is slightly longer. */
const WHOLE_SECONDS = 10;

let fixture: ViewingFixture;

beforeAll(async () => {
  fixture = await openViewingFixture();
}, HANG_MS);
afterAll(() => fixture.close());

/** Plays a video in a browser and returns a ledger of displayed frames for each session. */
type Script = (shown: PublishedFilm) => Promise<PictureLedger[]>;

async function watch(shown: PublishedFilm, play: (page: Page) => Promise<void>, query = ''): Promise<PictureLedger> {
  const page = await openPlayer(fixture, shown, `autoplay=false&${query}`);
  await keepLedger(page);
  await play(page);
  const ledger = await readLedger(page);
  await page.close();
  return ledger;
}

/** Plays a looping video past its end, up to `sec` of the next iteration. */
const playAround = (page: Page, sec: number) =>
  page.locator('video').evaluate(async (video: HTMLVideoElement, until: number) => {
    let isAround = false;
    const isThere = new Promise<void>((resolve) => {
      video.addEventListener('seeked', () => {
        isAround = video.currentTime < 2;
      });
      video.addEventListener('timeupdate', () => {
        if (isAround && video.currentTime >= until) resolve();
      });
    });
    await video.play();
    await isThere;
    video.pause();
  }, sec);

const scripts: Record<string, Script> = {
  async 'a pause'(shown) {
    const play = async (page: Page) => {
      await playTo(page, 1.4);
      await page.waitForTimeout(1_500);
      await playTo(page, 3.4);
    };
    return [await watch(shown, play)];
  },
  async 'a seek forward and one back'(shown) {
    const play = async (page: Page) => {
      await playTo(page, 1.4);
      await seekTo(page, 6);
      await playTo(page, 7.4);
      await seekTo(page, 1);
      await playTo(page, 2.4);
    };
    return [await watch(shown, play)];
  },
  async 'twice the speed'(shown) {
    const play = async (page: Page) => {
      await page.locator('video').evaluate((video: HTMLVideoElement) => {
        video.playbackRate = 2;
      });
      await playTo(page, 5.4);
    };
    return [await watch(shown, play)];
  },
  async 'a loop'(shown) {
    const play = async (page: Page) => {
      await seekTo(page, 7);
      await playAround(page, 1.4);
    };
    return [await watch(shown, play, 'loop=true')];
  },
  async 'a replay after the end'(shown) {
    const play = async (page: Page) => {
      await seekTo(page, 8);
      await playTo(page, 99);
      await seekTo(page, 0);
      await playTo(page, 1.4);
    };
    return [await watch(shown, play)];
  },
  async 'a second tab'(shown) {
    return Promise.all([watch(shown, (page) => playTo(page, 2.4)), watch(shown, (page) => playTo(page, 1.4))]);
  },
  async 'a sleep'(shown) {
    const play = async (page: Page) => {
      const devtools = await page.context().newCDPSession(page);
      await playTo(page, 1.4);
      await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      await devtools.send('Page.setWebLifecycleState', { state: 'active' });
      await playTo(page, 2.4);
    };
    return [await watch(shown, play)];
  },
  async 'a tab that is closed in mid-play'(shown) {
    const play = async (page: Page) => {
      await page.locator('video').evaluate((video: HTMLVideoElement) => video.play());
      await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 2.3);
    };
    return [await watch(shown, play)];
  },
  async 'a browser that stores nothing'(shown) {
    const page = await fixture.people.newPage();
    await page.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) {
        Object.defineProperty(globalThis, name, {
          get() {
            throw new DOMException('Storage is blocked.', 'SecurityError');
          },
        });
      }
    });
    await page.goto(`${fixture.edge.base}/embed/${fixture.libraryId}/${shown.mediaId}?muted=true&autoplay=false`);
    await keepLedger(page);
    await playTo(page, 1.4);
    const ledger = await readLedger(page);
    await page.close();
    return [ledger];
  },
  async 'a line that loses half of what is sent, and a clock a day off'(shown) {
    const page = await fixture.people.newPage();
    await page.addInitScript(() => {
      const [now, send] = [Date.now, navigator.sendBeacon.bind(navigator)];
      Date.now = () => now() + 24 * 3600_000;
      let [sent, isLeaving] = [0, false];
      addEventListener('pagehide', () => {
        isLeaving = true;
      });
      navigator.sendBeacon = (url, body) => {
        sent += 1;
        return !isLeaving && sent % 2 === 1 ? true : send(url, body);
      };
    });
    await page.goto(`${fixture.edge.base}/embed/${fixture.libraryId}/${shown.mediaId}?muted=true&autoplay=false`);
    await keepLedger(page);
    for (const sec of [0.4, 1.4, 2.4]) await playTo(page, sec);
    const ledger = await readLedger(page);
    // Leaves the page rather than just closing it, so that it sends its last seconds.
    const closed = page.waitForEvent('close');
    await page.close({ runBeforeUnload: true });
    await closed;
    return [ledger];
  },
  async 'a sandboxed frame'(shown) {
    const page = await fixture.people.newPage();
    const embed = `${fixture.edge.base}/embed/${fixture.libraryId}/${shown.mediaId}?muted=true&autoplay=false`;
    // Opens a page of the edge first, because `about:blank` may not embed player pages.
    await page.goto(`${fixture.edge.base}/assets/none`);
    await page.evaluate((src) => {
      document.body.innerHTML = '<iframe sandbox="allow-scripts" allow="autoplay"></iframe>';
      document.querySelector('iframe')?.setAttribute('src', src);
    }, embed);
    const frame = await (await page.waitForSelector('iframe')).contentFrame();
    if (frame === null) throw new Error('Expected a frame.');
    await frame.waitForSelector('video', { state: 'attached' });
    await keepLedger(frame);
    await playTo(frame, 1.4);
    const ledger = await readLedger(frame);
    await page.close();
    return [ledger];
  },
};

/**
 * Returns whether the video stopped or was left at a boundary of this second, where a single frame decides whether it
 * was entered.
 */
function isAtStop(sec: number, ledgers: readonly PictureLedger[]): boolean {
  const isNear = (stop: number) => Math.abs(stop - sec) < NEAR_SEC || Math.abs(stop - sec - 1) < NEAR_SEC;
  return ledgers.some(
    ({ stopsSec, heat }) => stopsSec.some(isNear) || (stopsSec.length === 0 && sec >= heat.length - 1),
  );
}

test('statistics and heatmap of scripted viewers match a ledger of displayed frames', {
  timeout: HANG_MS,
}, async () => {
  const waiting = Object.entries(scripts);
  // Dropped frames on a busy machine blur the comparison, so `npm run soak -- viewing` runs this alone.
  const played: { name: string; shown: PublishedFilm; ledgers: PictureLedger[] }[] = [];
  const viewer = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [name, script] = next;
      const shown = await publishFilm(fixture);
      played.push({ name, shown, ledgers: await script(shown) });
    }
  };
  await Promise.all(Array.from({ length: VIEWERS_AT_ONCE }, viewer));
  for (const { name, shown, ledgers } of played) {
    const expected = ledgers.reduce((sum, { watchedSec }) => sum + watchedSec, 0);
    // Statistics round each session to whole seconds.
    const isCounted = async () => {
      const { views, watchSec } = await sumsOf(fixture, shown);
      return { name, views, wrongSec: Math.max(0, Math.abs(watchSec - expected) - ledgers.length) };
    };
    await expect.poll(isCounted, { timeout: 15_000 }).toEqual({ name, views: ledgers.length, wrongSec: 0 });
    const heat = await heatOf(fixture, shown);
    const compared = Array.from({ length: WHOLE_SECONDS }, (_, sec) => sec).filter((sec) => !isAtStop(sec, ledgers));
    const sums = compared.map((sec) => ledgers.reduce((sum, ledger) => sum + (ledger.heat[sec] ?? 0), 0));
    const counted = compared.map((sec) => heat[sec] ?? 0);
    expect(counted, `heat of ${name} at the seconds ${compared}`).toEqual(sums);
  }
});
