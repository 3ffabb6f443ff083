import { setTimeout as sleep } from 'node:timers/promises';
import { type Away, makeSyncClip, publishWithGaps } from './gap-publisher.ts';
import type { LiveFixture } from './live-fixture.ts';
import { ended, startLive, until } from './live-service.ts';
import { WATCHERS, type Watched, type Watcher } from './live-watchers.ts';
import { countSegments } from './read-recording.ts';

const OUTAGE_MS = 4_000;
/**
 * Parameters of a publisher with gaps. `playSecs`: seconds that each player plays before each disconnect; the publisher
 * reconnects 4 s after each but the last. `away`: gaps in the media, and `awayLater`: gaps after a reconnect.
 * `joinSegments`: number of segments at which players join, by default 1. `hasOpenGops`: see `makeSyncClip`.
 * `startAfterMs`: time between the creation of the stream and its publisher.
 */
type Broadcast = {
  players: readonly (keyof typeof WATCHERS)[];
  playSecs: readonly number[];
  away: Away;
  joinSegments?: number;
  hasOpenGops?: boolean;
  startAfterMs?: number;
  awayLater?: Away;
};

/**
 * Plays a stream in several players while the publisher sends gaps, disconnects and reconnects. Returns the
 * observations of each player.
 */
export async function watchReturns(
  fixture: LiveFixture,
  { players, playSecs, away, joinSegments = 1, hasOpenGops = false, startAfterMs = 0, awayLater = away }: Broadcast,
): Promise<(Watched & { name: string })[]> {
  const [stream, clip] = [await startLive(fixture), await makeSyncClip(undefined, hasOpenGops)];
  await sleep(startAfterMs);
  let publisher = publishWithGaps(stream.ingest, clip, away);
  await until(async () => ((await countSegments(stream.base)) >= joinSegments ? true : null), 'segments');
  const place = { browser: fixture.browser, origin: fixture.service.edgeUrl, stream };
  const watchers = await Promise.all(players.map(async (name) => ({ name, ...(await WATCHERS[name](place)) })));
  for (const [turn, sec] of playSecs.entries()) {
    if (turn > 0) {
      publisher.kill('SIGKILL');
      await ended(publisher);
      await sleep(OUTAGE_MS);
      publisher = publishWithGaps(stream.ingest, clip, awayLater);
    }
    await Promise.all(watchers.map((watcher) => playOn(watcher, sec)));
  }
  const found = await Promise.all(watchers.map(async ({ name, read }) => ({ name, ...(await read()) })));
  await Promise.all(watchers.map(({ close }) => close()));
  publisher.kill('SIGKILL');
  await ended(publisher);
  for (const { log = [], ...one } of found) process.stdout.write(`${[JSON.stringify(one), ...log].join('\n')}\n`);
  return found;
}

async function playOn({ name, read }: Watcher & { name: string }, sec: number): Promise<void> {
  let last = await read();
  const targetSec = last.playedSec + sec;
  await until(
    async () => {
      last = await read();
      return last.playedSec >= targetSec ? true : null;
    },
    () => `${sec} s of playback in ${name}, got ${JSON.stringify(last)}`,
    (sec + 120) * 1_000,
  );
}
