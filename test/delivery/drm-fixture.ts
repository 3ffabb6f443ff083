import { createHash } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { expect } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import type { SchemeName } from '../../src/ports/drm-key-source.ts';
import { openBrowser } from '../support/browser.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { createTestPackager } from '../support/packager.ts';
import { type Film, makeFilm } from './make-film.ts';
import { addFilm, addLibrary, type PublishedFilm, publishWholeFilm } from './publish.ts';
import { createEdgeFixture, type EdgeFixture, type TestEdge } from './start-test-edge.ts';

export const FRAMES = 120;
export const ENTERPRISE = { drm: { enabled: true, version: 'enterprise' } };
export const BASIC = { drm: { enabled: true, version: 'basic' } };

/** A finished test video and the URL of its folder at the edge. */
export type Shown = PublishedFilm & { folder: string };

/** An edge with a real database, a browser, and functions that publish and protect test videos. */
export type DrmFixture = {
  database: TestDatabase;
  edgeFixture: EdgeFixture;
  edge: TestEdge;
  browser: Browser;
  /** Publishes a finished film in a new library, with its tall rung under the HD key. */
  publish(settings: Record<string, unknown>): Promise<Shown>;
  repackage(shown: MediaKey, scheme?: SchemeName, keepsPrevious?: boolean): Promise<void>;
  /** Publishes a film in a library with Enterprise DRM that has keys. */
  protect(scheme: SchemeName, settings?: Record<string, unknown>): Promise<Shown>;
  /** Returns a query with a valid embed token. */
  signToken(key: MediaKey, expiresSec: number): Promise<string>;
  close(): Promise<void>;
};

export async function openDrmFixture(): Promise<DrmFixture> {
  const [database, film, browser] = await Promise.all([
    startTestDatabase(),
    makeFilm(FRAMES, [180, 90]),
    openBrowser(),
  ]);
  const edgeFixture = await createEdgeFixture(database);
  const edge = await edgeFixture.start();
  const publish = (settings: Record<string, unknown>) => publishFilm({ database, edgeFixture, edge, film }, settings);
  const repackage: DrmFixture['repackage'] = (shown, scheme = 'cbcs', keepsPrevious = true) =>
    createTestPackager(database.db, scheme).repackage(shown, { keepsPrevious }, AbortSignal.timeout(30_000));
  return {
    ...{ database, edgeFixture, edge, browser, publish, repackage },
    async protect(scheme, settings = {}) {
      const shown = await publish({ ...ENTERPRISE, ...settings });
      await repackage(shown, scheme);
      return shown;
    },
    signToken: (key, expiresSec) => signToken(database, key, expiresSec),
    async close() {
      expect(edge.lines.filter(({ level }) => level === 'error')).toEqual([]);
      await browser.close();
      await edge.close();
      await edgeFixture.close();
      await database.stop();
    },
  };
}

type Parts = { database: TestDatabase; edgeFixture: EdgeFixture; edge: TestEdge; film: Film };

async function publishFilm(
  { database, edgeFixture, edge, film }: Parts,
  settings: Record<string, unknown>,
): Promise<Shown> {
  const libraryId = await addLibrary(database.db, settings);
  const shown = await addFilm(database.db, libraryId, film);
  await publishWholeFilm(database.db, edgeFixture.storage, film, shown);
  const tall = shown.videos[0]?.renditionId ?? shown.mediaId;
  await database.db.updateTable('rendition').set({ key_group: 'hd' }).where('id', '=', tall).execute();
  return { ...shown, folder: `${edge.base}/vz-${libraryId}/${shown.mediaId}` };
}

/** The secrets of test libraries are numbered like the libraries' names. */
async function signToken({ db }: TestDatabase, { libraryId, mediaId }: MediaKey, expiresSec: number): Promise<string> {
  const { name } = await db.selectFrom('library').select('name').where('id', '=', libraryId).executeTakeFirstOrThrow();
  const key = `security-key-${name.split(' ')[1]}`;
  const token = createHash('sha256').update(`${key}${mediaId}${expiresSec}`).digest('hex');
  return `?token=${token}&expires=${expiresSec}`;
}

export const textOf = async (address: string): Promise<string> => (await fetch(address)).text();

export const bytesOf = async (address: string, headers = {}): Promise<Buffer> =>
  Buffer.from(await (await fetch(address, { headers })).arrayBuffer());

export const statusOf = async (address: string, init: RequestInit = {}): Promise<number> =>
  (await fetch(address, init)).status;

export function askLicence(folder: string, kids: readonly string[], query = '', headers = {}): Promise<Response> {
  const body = JSON.stringify({ kids, type: 'temporary' });
  return fetch(`${folder}/license${query}`, { method: 'POST', body, headers });
}

/** Returns the key ids in the playlists of a video, in base64url. */
export async function kidsOf({ folder, videos, audio }: Shown): Promise<string[]> {
  const kids = [...videos, audio].map(async ({ renditionId }) => {
    const text = await textOf(`${folder}/r/${renditionId}/video.m3u8`);
    const encoded = /URI="data:text\/plain;base64,([^"]+)"/.exec(text)?.[1] ?? '';
    return Buffer.from(encoded, 'base64').toString('base64url');
  });
  return Promise.all(kids);
}
