import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shoot } from '../delivery/page-pictures.ts';
import { SMALL_PAGE } from '../support/browser.ts';
import { type LiveFixture, openLiveFixture } from './live-fixture.ts';
import { ended, NO_RUNGS, publish, startLive } from './live-service.ts';

/** Timeout that only a hang exceeds. */
const PATIENCE = { timeout: 60_000, interval: 250 };
const NOTICE = 'The live stream was interrupted. It resumes automatically.';

let fixture: LiveFixture;
beforeAll(async () => {
  fixture = await openLiveFixture({ MILLRACE_LIVE_CORES: '0' });
});
afterAll(() => fixture.close());

/** State of a page, recorded ten times per second. */
type Look = { badge: string; notice: string };

/** Records the badge and the notice of a page until it is closed. */
async function record(page: Page): Promise<() => Promise<Look[]>> {
  await page.evaluate(() => {
    const looks: Look[] = [];
    Object.assign(window, { looks });
    setInterval(() => {
      const pill = document.querySelector<HTMLElement>('.line-notice');
      looks.push({
        badge: document.querySelector('.live-word')?.textContent ?? '',
        notice: pill === null || pill.hidden ? '' : (pill.textContent ?? ''),
      });
    }, 100);
  });
  return () => page.evaluate(() => (window as unknown as { looks: Look[] }).looks);
}

test.each([
  { title: 'is killed', signal: 'SIGKILL' },
  { title: 'freezes', signal: 'SIGSTOP' },
] as const)(
  'a page shows an interruption while the publisher $title, until it returns',
  async ({ signal }) => {
    const stream = await startLive(fixture);
    let publisher = await publish(stream.ingest, NO_RUNGS);
    const page = await fixture.browser.newPage({ ...SMALL_PAGE, reducedMotion: 'reduce' });
    await page.goto(`${fixture.service.edgeUrl}/embed/1/${stream.key.mediaId}?muted=true&autoplay=true`);
    const video = page.locator('video');
    const position = () => video.evaluate((element: HTMLVideoElement) => element.currentTime);
    const start = await position();
    await expect.poll(position, PATIENCE).toBeGreaterThan(start + 4);
    const read = await record(page);
    await expect.poll(() => page.locator('.live-word').textContent(), PATIENCE).toBe('LIVE');
    publisher.kill(signal);
    await page.getByText(NOTICE).waitFor(PATIENCE);
    await expect.poll(() => page.locator('.live-word').textContent(), PATIENCE).toBe('Interrupted');
    await page.mouse.move(200, 200);
    await shoot(page, `interrupted-${signal}`, ['1280', '320', 'phone']);
    const stoppedSec = await position();
    publisher.kill('SIGKILL');
    await ended(publisher);
    publisher = await publish(stream.ingest, NO_RUNGS);
    await expect.poll(position, PATIENCE).toBeGreaterThan(stoppedSec + 5);
    await expect.poll(() => page.locator('.line-notice').isVisible(), PATIENCE).toBe(false);
    await expect.poll(() => page.locator('.live-word').textContent(), PATIENCE).toBe('LIVE');
    await shoot(page, `returned-${signal}`, ['phone']);
    const looks = await read();
    expect(looks.some(({ notice }) => notice === NOTICE)).toBe(true);
    expect(looks.filter(({ notice, badge }) => notice !== '' && badge === 'LIVE')).toEqual([]);
    await page.close();
    publisher.kill('SIGKILL');
    await ended(publisher);
  },
  180_000,
);
