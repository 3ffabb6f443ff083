import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Database } from '../../src/catalog/db.ts';
import { createLiveStore, type LiveStore, type NewLiveStream } from '../../src/catalog/live/live-store.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { openCatalogue } from '../support/leftovers.ts';
import type { Service } from '../support/service.ts';

export const LIVE_SETTINGS: Omit<NewLiveStream, 'libraryId'> = {
  title: 'Live',
  description: null,
  category: null,
  collectionId: null,
  isPublic: true,
  scheduledStartAt: null,
  scheduledEndAt: null,
  dvrEnabled: false,
  dvrWindowSec: null,
  recordVod: true,
  countdownEnabled: null,
  relays: null,
  trailerVideoId: null,
  availableResolutions: '360p',
  ingestRegion: 'local',
};

/** The live streams of a running service, as its own processes see them. */
export async function openLiveCatalogue(service: Service): Promise<{ database: Database; streams: LiveStore }> {
  const database = openCatalogue(service);
  const secretKey = await readFile(path.join(service.dataDir, 'secret.key'));
  return { database, streams: createLiveStore({ db: database.db, secretBox: createSecretBox(secretKey) }) };
}

/** Publishes a test picture (25 fps, 2 s between keyframes, two B-frames) and a tone in real time until it is ended. */
export function publish(
  url: string,
  { size = '640x360', encoder = ['-bf', '2'] }: { size?: string; encoder?: string[] } = {},
): ChildProcess {
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=25`];
  const tone = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000'];
  const video = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50', '-b:v', '800k', ...encoder];
  const audio = ['-c:a', 'aac', '-b:a', '96k', '-ac', '2'];
  return spawn('ffmpeg', ['-v', 'error', '-re', ...picture, '-re', ...tone, ...video, ...audio, '-f', 'flv', url], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

export async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

/** Asks until it gets a value that is not null. */
export async function until<T>(ask: () => Promise<T | null>, what: string, limitMs = 30_000): Promise<T> {
  const limit = Date.now() + limitMs;
  while (Date.now() < limit) {
    const found = await ask();
    if (found !== null) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`Expected ${what} within ${limitMs} ms.`);
}

/** The body of an answer, null for a refusal. */
export async function readText(url: string): Promise<string | null> {
  const response = await fetch(url);
  const body = await response.text();
  return response.ok ? body : null;
}
