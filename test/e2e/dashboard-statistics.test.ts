import { sql } from 'kysely';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Db } from '../../src/catalog/db.ts';
import { countSessions } from '../../src/catalog/statistics/sums/count-sessions-store.ts';
import { keepDelivered } from '../../src/catalog/statistics/sums/delivered-store.ts';
import { WHOLE_LIBRARY } from '../../src/catalog/statistics/sums/whole-library.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import { openBrowser } from '../support/browser.ts';
import { openDashboard } from '../support/dashboard.ts';
import { openCatalogue } from '../support/leftovers.ts';
import { FOUR_VIEWS, lookAtPage } from '../support/look-at-page.ts';
import { ACCOUNT_KEY, discard, type Service, startService } from '../support/service.ts';
import { addWatchedMedia, someSession } from '../support/some-session.ts';

const HANG_MS = 300_000;
const HOUR_MS = 3600_000;
const DAY_MS = 24 * HOUR_MS;
const COUNTRIES = ['DE', 'DE', 'FR', 'JP', ''];

let service: Service;
let browser: Browser;
let page: Page;
let catalogue: ReturnType<typeof openCatalogue>;
let film: Guid;
let empty: Guid;
const faults: string[] = [];

/** First days of this month and of the one before, in UTC. */
const [thisMonthMs, lastMonthMs] = monthStarts(Date.now());

beforeAll(async () => {
  [service, browser] = await Promise.all([startService(null), openBrowser()]);
  catalogue = openCatalogue(service);
  const { db } = catalogue;
  [film, empty] = [await addFilm(db, 'A film about mills'), await addFilm(db, 'Nobody watched this')];
  const short = await addFilm(db, 'A trailer with a rather long name that does not fit into one line');
  await watch(db, { mediaId: film, fromMs: lastMonthMs, views: 40 });
  await watch(db, { mediaId: film, fromMs: thisMonthMs, views: 10 });
  await watch(db, { mediaId: short, fromMs: thisMonthMs, views: 10 });
  await db.updateTable('media').set({ storage_bytes: 7_000_000_000 }).where('id', '=', film).execute();
  const month = new Date(lastMonthMs).toISOString().slice(0, 10);
  await sql`insert into encoded_month values (1, ${month}::date, 0, ${90 * 60_000}::bigint)`.execute(db);
  const delivered = { libraryId: 1, mediaId: WHOLE_LIBRARY, bytes: 4_000_000_000 };
  await keepDelivered(db, newGuid(), [{ ...delivered, hourMs: lastMonthMs + DAY_MS }]);
  page = await openDashboard(service, browser, { key: ACCOUNT_KEY });
  page.on('pageerror', (error) => faults.push(error.message));
}, HANG_MS);
afterAll(async () => {
  await browser?.close();
  await catalogue?.close();
  if (service !== undefined) await discard(service);
});

function monthStarts(nowMs: number): [number, number] {
  const date = new Date(nowMs);
  const start = (ago: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - ago);
  return [start(0), start(1)];
}

async function addFilm(db: Db, title: string): Promise<Guid> {
  const id = await addWatchedMedia(db, 1);
  await db.updateTable('media').set({ title }).where('id', '=', id).execute();
  return id;
}

/** Adds views that watch less and less of a film of 20 s. */
async function watch(db: Db, { mediaId, fromMs, views }: { mediaId: Guid; fromMs: number; views: number }) {
  const sessions = Array.from({ length: views }, (_, index) =>
    someSession(
      { libraryId: 1, mediaId },
      {
        startHourMs: fromMs + (index % 4) * HOUR_MS,
        country: COUNTRIES[index % COUNTRIES.length] ?? '',
        device: index % 3 === 0 ? 'mobile' : 'desktop',
        referrerHost: index % 2 === 0 ? 'shop.example' : '',
        heat: Buffer.alloc(20, 0).fill(1, 0, 4 + ((index * 3) % 17)),
        rungSec: [[index % 2 === 0 ? '1080' : '480', 10]],
        startupMs: 200 + index * 40,
        ...(index % 5 === 0 && { stallCount: 1, stallMs: 900 }),
        ...(index === 7 && { failures: 1 }),
      },
    ),
  );
  await countSessions(db, sessions);
}

const monthName = (ms: number) =>
  new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(ms);

test(
  'two months are compared, and quality and usage are shown by group and by month',
  async () => {
    await page.goto(`${service.apiUrl}/dashboard/library/1/statistics`);
    await page.getByLabel('Range').selectOption(monthName(thisMonthMs));
    await page.getByLabel('Compare with').selectOption(monthName(lastMonthMs));
    const compared = page.getByRole('region', { name: 'Comparison of two periods' });
    const views = compared.getByRole('row', { name: /^Views \d/ });
    // On the first day of a month, the current day is the only one.
    await views.getByRole('cell', { name: '−50 %' }).waitFor();
    expect(await views.getByRole('cell').allTextContents()).toEqual(['20', '40', '−50 %']);
    const quality = page.getByRole('region', { name: 'Playback quality' });
    expect(await quality.getByRole('rowheader').allTextContents()).toEqual(['Germany', 'Unknown', 'France', 'Japan']);
    await page.getByLabel('Group by').selectOption('Resolution');
    expect(await quality.getByRole('rowheader').allTextContents()).toEqual(['1080p', '480p']);
    await page.getByLabel('Group by').selectOption('Video');
    expect(await quality.getByRole('rowheader').count()).toBe(2);
    const usage = page.getByRole('region', { name: 'Usage by month' });
    const last = usage.getByRole('row', { name: new RegExp(`^${monthName(lastMonthMs)}`) });
    expect(await last.getByRole('cell').allTextContents()).toEqual(['–', '90 minutes', '4.0 GB']);
    await usage.getByRole('rowheader', { name: `End of ${monthName(thisMonthMs)} (forecast)` }).waitFor();
    await lookAtPage('statistics', page, { views: FOUR_VIEWS });
    expect(faults).toEqual([]);
  },
  HANG_MS,
);

test(
  'the retention of a video is drawn next to the average of the library',
  async () => {
    await page.goto(`${service.apiUrl}/dashboard/library/1/videos/${film}/statistics`);
    await page.getByText('The dashed line is the other video with at least five views').waitFor();
    expect(await page.locator('.bars .average').getAttribute('d')).toMatch(/^M0,1\.00 L/);
    await lookAtPage('video-statistics', page, { views: FOUR_VIEWS, exclude: ['iframe'] });
    await page.getByLabel('Range').selectOption('Choose dates');
    const day = new Date(lastMonthMs).toISOString().slice(0, 10);
    await page.getByLabel('First day').fill(day);
    await page.getByLabel('Last day').fill(day);
    await page.locator('.figure', { hasText: '40' }).waitFor();
    expect(faults).toEqual([]);
  },
  HANG_MS,
);

test(
  'without views, the pages have one sentence and no empty boxes',
  async () => {
    await page.goto(`${service.apiUrl}/dashboard/library/1/videos/${empty}/statistics`);
    await page.getByText('No views in this period.').waitFor();
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).not.toContain('Devices');
    await lookAtPage('video-statistics-empty', page, { exclude: ['iframe'] });
    await page.goto(`${service.apiUrl}/dashboard/library/1/statistics`);
    await page.getByLabel('Range').selectOption('Choose dates');
    await page.getByLabel('First day').fill('2020-01-01');
    await page.getByLabel('Last day').fill('2020-01-02');
    await page.getByText('No views in this period.').waitFor();
    const titles = () => page.getByRole('heading', { level: 2 }).allTextContents();
    await expect.poll(titles).toEqual(['Usage by month']);
    await lookAtPage('statistics-empty', page);
    expect(faults).toEqual([]);
  },
  HANG_MS,
);
