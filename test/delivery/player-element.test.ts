import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../scripts/run-program.ts';
import type { MillracePlayer } from '../../sdk/src/millrace-player.ts';
import { SMALL_PAGE } from '../support/browser.ts';
import { Firefox } from '../support/firefox.ts';
import { openPlayerFixture, type PlayerFixture } from './player-fixture.ts';
import type { PublishedFilm } from './publish.ts';

// `<millrace-player>` of the SDK on a page of another origin, with the real player in its frame.
let fixture: PlayerFixture;
let shown: PublishedFilm;
let site: Server;
let siteBase: string;
let firefox: Firefox;

beforeAll(async () => {
  fixture = await openPlayerFixture(240, [90]);
  shown = await fixture.publish();
  firefox = await Firefox.launch();
  const bundle = await rolldown({ input: path.join(projectRoot, 'sdk/src/millrace-player.ts'), platform: 'browser' });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  const code = output[0].code;
  site = createServer((request, response) => {
    const isCode = request.url === '/player.js';
    response.setHeader('content-type', isCode ? 'text/javascript' : 'text/html');
    // The element needs no inline styles and no other script.
    response.setHeader('content-security-policy', `default-src 'self'; img-src data:; frame-src ${fixture.edge.base}`);
    response.end(isCode ? code : pageOf(shown));
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  siteBase = `http://localhost:${(site.address() as AddressInfo).port}`;
});
afterAll(async () => {
  site.close();
  await firefox.close();
  await fixture.close();
});

function pageOf({ libraryId, mediaId }: PublishedFilm): string {
  const where = `src="${fixture.edge.base}/" library="${libraryId}" video="${mediaId}"`;
  return `<!doctype html><link rel="icon" href="data:,"><script type="module" src="/player.js"></script>
<millrace-player id="first" ${where} muted start="2" ratio="2 / 1" label="A film"></millrace-player>
${'<br>'.repeat(300)}<millrace-player id="far" ${where} muted></millrace-player>`;
}

/** Runs in the page: plays, seeks and pauses the first player, and reports what happened. */
async function drive() {
  await customElements.whenDefined('millrace-player');
  const player = document.querySelector<MillracePlayer>('#first');
  const far = document.querySelector<MillracePlayer>('#far');
  if (player === null || far === null) throw new Error('Expected two players.');
  const events: string[] = [];
  for (const name of ['ready', 'play', 'pause', 'seeked'] as const)
    player.addEventListener(name, () => events.push(name));
  const { width, height } = player.getBoundingClientRect();
  // Requests that are sent before the player is ready wait for it.
  const duration = await player.call('getDuration');
  const start = await player.call('getCurrentTime');
  const moved = new Promise<number>((resolve) =>
    player.addEventListener('timeupdate', ({ detail }) => {
      if (detail.seconds > start + 0.3) resolve(detail.duration);
    }),
  );
  await player.play();
  const reported = await moved;
  const seeked = new Promise<void>((resolve) => player.addEventListener('seeked', () => resolve(), { once: true }));
  await player.call('setCurrentTime', 6);
  await seeked;
  await player.pause();
  // On a slow machine the video may have ended, and then sends no further `pause`.
  while (!(await player.call('getPaused'))) await new Promise((resolve) => setTimeout(resolve, 50));
  const frame = player.shadowRoot?.querySelector('iframe');
  const isFarLoaded = far.shadowRoot?.querySelector('iframe') !== null;
  const now = await player.call('getCurrentTime');
  const isPaused = await player.call('getPaused');
  const isMuted = await player.call('getMuted');
  const lost = player.call('getVolume').catch((error: Error) => error.message);
  player.remove();
  far.scrollIntoView();
  while (far.shadowRoot?.querySelector('iframe') === null) await new Promise((resolve) => setTimeout(resolve, 50));
  return {
    ...{ events, duration, reported, start, now, isPaused, isMuted, isFarLoaded },
    ratio: width / height,
    title: frame?.title,
    lost: await lost,
  };
}

const EXPECTED = {
  events: ['ready', 'play', 'seeked', 'pause'],
  isPaused: true,
  isMuted: true,
  isFarLoaded: false,
  title: 'A film',
  lost: 'The player was removed before it responded.',
};

function expectDriven(seen: Awaited<ReturnType<typeof drive>>): void {
  expect({ ...seen, events: [...new Set(seen.events.filter((name) => EXPECTED.events.includes(name)))] }).toMatchObject(
    {
      ...EXPECTED,
      events: expect.arrayContaining(EXPECTED.events),
    },
  );
  expect(seen.duration).toBeCloseTo(10, 0);
  expect(seen.reported).toBeCloseTo(10, 0);
  expect(seen.start).toBeCloseTo(2, 0);
  expect(seen.now).toBeGreaterThanOrEqual(6);
  expect(seen.ratio).toBeCloseTo(2, 1);
}

test('the element drives the player in Chromium, and loads a distant player only when it is scrolled to', async () => {
  const page = await fixture.browser.newPage(SMALL_PAGE);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (line) => {
    if (line.type() === 'error') faults.push(line.text());
  });
  await page.goto(siteBase);
  expectDriven(await page.evaluate(drive));
  expect(faults).toEqual([]);
  await page.close();
}, 120_000);

test('the element drives the player in Firefox', async () => {
  const page = await firefox.newPage(480, 270);
  await page.goto(siteBase);
  expectDriven(await page.evaluate(drive));
  await page.close();
}, 120_000);

test('Node imports the element without a DOM, for rendering on a server', async () => {
  expect(await import('../../sdk/src/millrace-player.ts')).toHaveProperty('MillracePlayer');
});
