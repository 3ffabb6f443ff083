import { createCollectionStore } from '../../src/catalog/collections/collection-store.ts';
import {
  createShareStore,
  type ShareFields,
  type ShareKey,
  type ShareStore,
} from '../../src/catalog/shares/share-store.ts';
import type { Guid } from '../../src/lib/guid.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { TEST_SECRET } from '../support/packager.ts';
import { openPlayerFixture, type PlayerFixture } from './player-fixture.ts';
import { addFilm, addLibrary, publishWholeFilm } from './publish.ts';
import type { TestEdge } from './start-test-edge.ts';

/** A collection of published videos, the oldest first. */
type Course = { libraryId: number; collectionId: Guid; ids: Guid[] };
type Made = { key: ShareKey; url: string };

/** An edge with shares of collections, and a browser. */
export type CourseFixture = {
  fixture: PlayerFixture;
  edge: TestEdge;
  shares: ShareStore;
  /** A collection in a library that requires tokens. */
  shown: Course;
  /** Publishes videos in a collection of a new library. */
  makeCourse(settings?: Record<string, unknown>, titles?: readonly string[]): Promise<Course>;
  /** Creates a share of a collection, by default of `shown`. */
  share(fields?: Partial<ShareFields>, course?: Course): Promise<Made>;
  close(): Promise<void>;
};

/** Name of each collection. */
export const COURSE_NAME = 'A <b>course</b> & "more"';
export const LOCKED = { access: { playerTokenRequired: true } };

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export async function openCourseFixture(): Promise<CourseFixture> {
  const fixture = await openPlayerFixture(72, [90]);
  const edge = await fixture.edges.start({ apiUrl: 'https://api.test' });
  const shares = createShareStore({ db: fixture.database.db, secretBox: createSecretBox(TEST_SECRET) });
  const makeCourse: CourseFixture['makeCourse'] = (settings = {}, titles = ['One', '<i>Two</i>', 'Three']) =>
    publishCourse(fixture, settings, titles);
  const shown = await makeCourse({ ...LOCKED, mp4: { enabled: true }, player: { keyColor: '#0f7b6c' } });
  return {
    ...{ fixture, edge, shares, shown, makeCourse },
    async share(fields = {}, { libraryId, collectionId } = shown) {
      const wanted = { password: null, allowsDownload: false, expiresAt: null, createdBy: 'test', ...fields };
      const { id, token } = await shares.create({ libraryId, collectionId }, wanted);
      return { key: { libraryId, collectionId, shareId: id }, url: `${edge.base}/share/${token}` };
    },
    async close() {
      await edge.close();
      await fixture.close();
    },
  };
}

async function publishCourse(
  { database: { db }, edges, film: source }: PlayerFixture,
  settings: Record<string, unknown>,
  titles: readonly string[],
): Promise<Course> {
  const libraryId = await addLibrary(db, settings);
  const { collectionId } = await createCollectionStore(db).create(libraryId, COURSE_NAME);
  const ids: Guid[] = [];
  for (const [index, title] of titles.entries()) {
    const film = await addFilm(db, libraryId, source, title);
    await publishWholeFilm(db, edges.storage, source, film);
    const created_at = new Date(Date.UTC(2026, 0, 1 + index));
    const thumbnail_key = await edges.storage.write(`${film.mediaId}/t`, PIXEL);
    await db
      .updateTable('media')
      .set({ collection_id: collectionId, created_at, thumbnail_key, duration_ms: 3_003 })
      .where('id', '=', film.mediaId)
      .execute();
    ids.push(film.mediaId);
  }
  return { libraryId, collectionId, ids };
}
