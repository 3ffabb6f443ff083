import type { Browser } from 'playwright-core';
import { openBrowser } from '../support/browser.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Film, makeFilm } from './make-film.ts';
import { addFilm, addLibrary, type PublishedFilm, publishWholeFilm } from './publish.ts';
import { createEdgeFixture, type EdgeFixture, type TestEdge } from './start-test-edge.ts';

/** An edge, and a browser that plays its test videos. */
export type PlayerFixture = {
  database: TestDatabase;
  edges: EdgeFixture;
  edge: TestEdge;
  film: Film;
  browser: Browser;
  /** Publishes the finished film in a new library with these settings. */
  publish(settings?: Record<string, unknown>): Promise<PublishedFilm>;
  close(): Promise<void>;
};

/**
 * Opens a player fixture with a test video of `frames` frames at 24000/1001 fps, in the given heights and, if given,
 * bitrates.
 */
export async function openPlayerFixture(
  frames: number,
  heightsPx: readonly number[],
  ratesBps: readonly number[] = [],
): Promise<PlayerFixture> {
  const preparing = [startTestDatabase(), makeFilm(frames, heightsPx, ratesBps), openBrowser()] as const;
  const [database, film, browser] = await Promise.all(preparing);
  const edges = await createEdgeFixture(database);
  const edge = await edges.start();
  return {
    ...{ database, edges, edge, film, browser },
    async publish(settings = {}) {
      const made = await addFilm(database.db, await addLibrary(database.db, settings), film, 'A film');
      await publishWholeFilm(database.db, edges.storage, film, made);
      return made;
    },
    async close() {
      await browser.close();
      await edge.close();
      await edges.close();
      await database.stop();
    },
  };
}
