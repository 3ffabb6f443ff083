import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { discard, type Service, startService } from '../support/service.ts';
import { createVideo, FINISHED, playlistUrl, untilVideo, uploadFile } from '../support/videos.ts';
import { failEverything, openChromium, openFirefox, type TrialBrowser, tryInBrowser } from './players/browsers.ts';
import { openGStreamer } from './players/gstreamer.ts';
import { openMpv } from './players/mpv.ts';
import { type NativePlayer, tryNative } from './players/native-trial.ts';
import { LENGTH_SEC, makeNumberedClip, RATE } from './players/numbered-clip.ts';
import { installPlayers } from './players/packages.ts';
import { openSite } from './players/site.ts';
import { unexpected, writePage } from './players/table.ts';
import { PLAYERS, type Row } from './players/trial.ts';
import { openVlc } from './players/vlc.ts';

const PAGE = path.resolve(import.meta.dirname, '../../docs/players.md');

type Native = { name: string; heights: number[]; open(address: string, folder: string): Promise<NativePlayer> };
const NATIVE: readonly Native[] = [
  { name: 'mpv', heights: [240], open: openMpv },
  { name: 'GStreamer', heights: [240, 480], open: openGStreamer },
  { name: 'VLC', heights: [480], open: openVlc },
];

let service: Service;
let folder: string;
let guid: string;
let site: Awaited<ReturnType<typeof openSite>>;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mr-players-'));
  const clip = path.join(folder, 'numbered.mp4');
  await makeNumberedClip(clip);
  service = await startService(null);
  guid = await createVideo(service, 'numbered');
  expect((await uploadFile(service, guid, clip)).status).toBe(200);
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  site = await openSite(await installPlayers());
});
afterAll(async () => {
  site?.close();
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

const addressOf = (format: Row['format']) =>
  format === 'HLS' ? playlistUrl(service, guid) : playlistUrl(service, guid).replace('playlist.m3u8', 'manifest.mpd');

function report(row: Row): Row {
  process.stdout.write(`${row.player} ${row.format} ${row.program}: ${JSON.stringify(row.outcome)}\n`);
  return row;
}

async function tryIn(
  browser: TrialBrowser,
  isChosen: (row: Pick<Row, 'player' | 'format'>) => boolean,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const player of PLAYERS) {
    for (const format of player.formats.filter((one) => isChosen({ player: player.name, format: one }))) {
      const trial = { player: { kind: player.kind }, address: addressOf(format), rate: RATE, lengthSec: LENGTH_SEC };
      const outcome = await tryInBrowser(browser, { page: site.address(player), trial, folder }).catch(failEverything);
      rows.push(report({ player: player.name, format, program: browser.name, outcome }));
    }
  }
  return rows;
}

/** Repeats each failed trial once, in a new browser and without the other browsers and programs running. */
async function tryFailedAgain({ open, rows }: { open: () => Promise<TrialBrowser>; rows: Row[] }): Promise<Row[]> {
  const again: Row[] = [];
  for (const row of rows) {
    if (unexpected(row).length === 0) {
      again.push(row);
      continue;
    }
    const browser = await open();
    const isChosen = ({ player, format }: Pick<Row, 'player' | 'format'>) =>
      player === row.player && format === row.format;
    again.push(...(await tryIn(browser, isChosen).finally(() => browser.close())));
  }
  return again;
}

async function tryPrograms(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { name, heights, open } of NATIVE) {
    const player = await open(addressOf('HLS'), folder);
    const outcome = await tryNative(player, heights).finally(() => player.close());
    // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own form of a field.
    const { stdout } = await promisify(execFile)('dpkg-query', ['-W', '-f', '${Version}', PACKAGES[name] ?? name]);
    const version = /^(?:\d+:)?(\d+\.\d+)/.exec(stdout)?.[1] ?? stdout;
    rows.push(report({ player: `${name} ${version}`, format: 'HLS', program: 'Debian 12', outcome }));
  }
  return rows;
}

const PACKAGES: Readonly<Record<string, string>> = { GStreamer: 'libgstreamer1.0-0', VLC: 'libvlc5' };

test(
  'every player plays, seeks, switches, ends and replays, except for its documented limitations',
  async () => {
    const inBrowser = async (open: () => Promise<TrialBrowser>) => {
      const browser = await open();
      const rows = await tryIn(browser, () => true).finally(() => browser.close());
      return { open, rows };
    };
    // The trials run concurrently, because they mostly wait for playback in real time and use little CPU.
    const [programs, ...lanes] = await Promise.all([tryPrograms(), inBrowser(openChromium), inBrowser(openFirefox)]);
    const rows = [...programs];
    for (const lane of lanes) rows.push(...(await tryFailedAgain(lane)));
    await writeFile(PAGE, writePage(rows.toSorted(byPlayer)));
    expect(rows.flatMap(unexpected)).toEqual([]);
  },
  2 * 3_600_000,
);

/** Sorts rows by the order of the player list, with the browsers of one player together. */
function byPlayer(one: Row, other: Row): number {
  const place = ({ player, format }: Row) => {
    const index = PLAYERS.findIndex(({ name }) => name === player);
    return (index === -1 ? PLAYERS.length : index) * 2 + (format === 'HLS' ? 0 : 1);
  };
  return place(one) - place(other);
}
