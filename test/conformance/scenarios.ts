import { writeCursor } from '../../src/catalog/shield/events/event-cursor.ts';
import { createShieldEventStore } from '../../src/catalog/shield/events/shield-event-store.ts';
import type { Guid } from '../../src/lib/guid.ts';
import type { StorageKey } from '../../src/ports/storage.ts';
import { CURSOR_SECRET } from '../support/api.ts';
import { addRows } from '../support/rendition-rows.ts';
import { makeShieldEvent, wordDate } from '../support/shield-events.ts';
import { liveScenarios } from './live-scenarios.ts';
import { UNKNOWN_GUID } from './make-rows.ts';
import { CAPTIONS, PICTURE } from './samples.ts';
import type { Scenario, World } from './world.ts';
import { UNKNOWN_ID } from './world.ts';

/**
 * Requests that provoke each listed status specific to the operation: its success, and refusals that no other operation
 * has. The suite covers the statuses that all share: a missing key, a read-only key, an unknown id and a broken
 * database.
 */
export const scenarios: Readonly<Record<string, Readonly<Record<number, Scenario>>>> = {
  'GET /library/{libraryId}/collections/{collectionId}': {
    200: async (world) => {
      const { body } = await world.ask({ ...at('POST', '/library/1/collections'), body: { name: 'Holidays' } });
      const guid = String(Object(body).guid);
      await world.ask({ ...at('POST', '/library/1/videos'), body: { title: 'In it', collectionId: guid } });
      return { path: `/library/1/collections/${guid}?includeThumbnails=true` };
    },
  },
  'POST /library/{libraryId}/collections/{collectionId}': {
    200: async (world) => ({ path: await ownCollection(world), body: { name: 'Renamed' } }),
  },
  'DELETE /library/{libraryId}/collections/{collectionId}': {
    200: async (world) => ({ path: await ownCollection(world) }),
  },
  'GET /library/{libraryId}/collections': {
    200: async (world) => {
      await ownCollection(world);
      return { path: '/library/1/collections?page=1&itemsPerPage=2&search=&orderBy=date&includeThumbnails=true' };
    },
  },
  'POST /library/{libraryId}/collections': {
    200: async () => ({ path: '/library/1/collections', body: { name: 'New' } }),
  },
  ...liveScenarios,
  'GET /library/{libraryId}/videos': {
    200: async (world) => {
      await world.makeVideo();
      return { path: '/library/1/videos?page=1&itemsPerPage=2&search=&collection=&orderBy=date' };
    },
  },
  'POST /library/{libraryId}/videos': {
    200: async () => ({ path: '/library/1/videos', body: { title: 'New', thumbnailTime: 1500 } }),
    400: async () => ({ path: '/library/1/videos', body: { title: '' } }),
  },
  'GET /library/{libraryId}/videos/{videoId}': {
    200: async (world) => {
      const path = `/library/1/videos/${await world.makeUploaded()}`;
      const lists = {
        chapters: [{ title: 'Start', start: 0, end: 5 }],
        moments: [{ label: 'Goal', timestamp: 3 }],
        metaTags: [{ property: 'description', value: 'Of a film' }],
      };
      await world.ask({ ...at('POST', path), body: lists });
      return { path };
    },
  },
  'POST /library/{libraryId}/videos/{videoId}': {
    200: async (world) => ({ path: await ownVideo(world), body: { title: 'Renamed' } }),
  },
  'DELETE /library/{libraryId}/videos/{videoId}': {
    200: async (world) => ({ path: await ownVideo(world) }),
  },
  'PUT /library/{libraryId}/videos/{videoId}': {
    200: async (world) => ({ path: `${await ownVideo(world)}?enabledResolutions=240p,720p`, body: BYTES }),
    400: async (world) => ({ path: `/library/1/videos/${await world.makeUploaded()}`, body: BYTES }),
  },
  'GET /library/{libraryId}/videos/{videoId}/heatmap': {
    200: async (world) => ({ path: `${await ownVideo(world)}/heatmap` }),
  },
  'GET /library/{libraryId}/videos/{videoId}/play/heatmap': {
    200: async (world) => ({ path: `${await ownVideo(world)}/play/heatmap?token=&expires=0`, key: null }),
    401: async (world) => {
      const { id, key } = await makeLibrary(world, { access: { playerTokenRequired: true } });
      const video = await world.ask({ ...at('POST', `/library/${id}/videos`), key, body: { title: 'Behind a token' } });
      return { path: `/library/${id}/videos/${Object(video.body).guid}/play/heatmap?token=wrong&expires=9`, key: null };
    },
  },
  'GET /library/{libraryId}/statistics': {
    200: async () => ({ path: '/library/1/statistics?dateFrom=2026-08-01&dateTo=2026-08-03T10:00:00Z&hourly=true' }),
    400: async () => ({ path: '/library/1/statistics?dateFrom=2020-01-01&hourly=true' }),
    404: async () => ({ path: `/library/1/statistics?videoGuid=${UNKNOWN_GUID}` }),
  },
  'GET /library/{libraryId}/videos/{videoId}/play': {
    200: async (world) => ({ path: `${await ownVideo(world)}/play?token=&expires=0`, key: null }),
    401: async (world) => {
      const { id, key } = await makeLibrary(world, { access: { playerTokenRequired: true } });
      const video = await world.ask({ ...at('POST', `/library/${id}/videos`), key, body: { title: 'Behind a token' } });
      const path = `/library/${id}/videos/${Object(video.body).guid}/play?token=wrong&expires=4102444800`;
      return { path, key: null };
    },
  },
  'POST /library/{libraryId}/videos/{videoId}/transcribe': {
    200: async (world) => ({
      path: `/library/1/videos/${await world.makeUploaded()}/transcribe?force=true&language=en`,
      body: { sourceLanguage: 'en' },
    }),
    400: async (world) => ({ path: `/library/1/videos/${await world.makeUploaded()}/transcribe?language=tlh` }),
  },
  'POST /library/{libraryId}/videos/{videoId}/reencode': {
    200: async (world) => ({ path: `/library/1/videos/${await world.makeUploaded()}/reencode` }),
    400: async (world) => ({ path: `${await ownVideo(world)}/reencode` }),
  },
  'POST /library/{libraryId}/videos/{videoId}/repackage': {
    200: async (world) => {
      const { id, key } = await makeLibrary(world, { drm: { enabled: true, version: 'enterprise' } });
      const video = await world.ask({ ...at('POST', `/library/${id}/videos`), key, body: { title: 'To protect' } });
      const path = `/library/${id}/videos/${Object(video.body).guid}/repackage?keepOriginalFiles=false`;
      return { path, key };
    },
    400: async (world) => ({ path: `${await ownVideo(world)}/repackage` }),
  },
  'POST /library/{libraryId}/videos/fetch': {
    200: async ({ origin }) => ({ path: '/library/1/videos/fetch', body: { url: `${origin.url}/film.mp4` } }),
    400: async ({ origin }) => {
      const answers404 = `${origin.url}/film.mp4`.replace('127.0.0.1', '127.0.0.2');
      return { path: '/library/1/videos/fetch', body: { url: answers404 } };
    },
    404: async ({ origin }) => ({
      path: `/library/1/videos/fetch?collectionId=${UNKNOWN_GUID}`,
      body: { url: `${origin.url}/film.mp4` },
    }),
  },
  'PUT /library/{libraryId}/videos/{videoId}/outputs/{outputCodecId}': {
    200: async (world) => ({ path: `/library/1/videos/${await makeFinished(world)}/outputs/0` }),
    400: async (world) => ({ path: `/library/1/videos/${await makeFinished(world)}/outputs/9` }),
  },
  'POST /videolibrary/{id}/sound': {
    200: async (world) => {
      const { id } = await makeLibrary(world, {});
      return { path: `/videolibrary/${id}/sound`, body: { NormaliseLoudness: true, LoudnessTarget: -20 } };
    },
    400: async () => ({ path: '/videolibrary/1/sound', body: { LoudnessTarget: -5 } }),
  },
  'POST /library/{libraryId}/videos/{videoId}/thumbnail': {
    200: async (world) => ({ path: `${await ownVideo(world)}/thumbnail`, body: PICTURE }),
  },
  'POST /library/{libraryId}/videos/{videoId}/captions/{srclang}': {
    200: async (world) => ({ path: `${await ownVideo(world)}/captions/en`, body: captions(CAPTIONS) }),
    400: async (world) => ({ path: `${await ownVideo(world)}/captions/en`, body: captions('no captions at all') }),
  },
  'DELETE /library/{libraryId}/videos/{videoId}/captions/{srclang}': {
    200: async (world) => {
      const path = `${await ownVideo(world)}/captions/en`;
      await world.ask({ ...at('POST', path), body: captions(CAPTIONS) });
      return { path };
    },
    400: async (world) => ({ path: `${await ownVideo(world)}/captions/e%20n` }),
  },
  'POST /pullzone/{id}/resetSecurityKey': {
    204: async (world) => ({ ...(await ownZone(world)), body: { SecurityKey: 'a key of my own' } }),
    400: async (world) => ({ ...(await ownZone(world)), body: { SecurityKey: 'short' } }),
    404: async ({ keys }) => ({ path: `/pullzone/${UNKNOWN_ID}/resetSecurityKey`, key: keys.account }),
  },
  'GET /shield/event-logs/{shieldZoneId}/{date}/{continuationToken}': {
    200: async ({ api, keys }) => {
      const day = new Date().toISOString().slice(0, 10);
      await createShieldEventStore(api.database.db).append([makeShieldEvent(1)]);
      const token = writeCursor({ zoneId: 1, day, afterSeq: 0 }, CURSOR_SECRET);
      return { path: `/shield/event-logs/1/${wordDate(day)}/${token}`, key: keys.account };
    },
    400: async ({ keys }) => ({ path: '/shield/event-logs/1/2020-01-31/x', key: keys.account }),
    401: async ({ keys }) => ({ path: '/shield/event-logs/1/01-31-2020/x', key: keys.account }),
    404: async ({ keys }) => {
      const today = wordDate(new Date().toISOString().slice(0, 10));
      return { path: `/shield/event-logs/${UNKNOWN_ID}/${today}/x`, key: keys.account };
    },
  },
};

const BYTES = Buffer.from('bytes of a video');

function at(method: string, path: string): { method: string; path: string } {
  return { method, path };
}

function captions(file: string): object {
  return { srclang: 'en', label: 'English', captionsFile: Buffer.from(file).toString('base64') };
}

/** Creates a video in the state after an encode to VP9 only. */
async function makeFinished(world: World): Promise<string> {
  const guid = (await world.makeVideo()) as Guid;
  const { db } = world.api.database;
  await addRows(db, guid, [{ rung: 240, codec: 'vp9' }, { rung: null }]);
  const facts = { container: 'mp4', durationSec: 4, video: { displayWidthPx: 426, displayHeightPx: 240 }, audio: [] };
  await db
    .updateTable('media')
    .set({ state: 'finished', source_key: `1/${guid}/source/x` as StorageKey, source_bytes: 9 })
    .set({ facts: JSON.stringify(facts), encode_progress: 100, duration_ms: 4000 })
    .where('id', '=', guid)
    .execute();
  return guid;
}

async function ownVideo(world: World): Promise<string> {
  return `/library/1/videos/${await world.makeVideo()}`;
}

async function ownCollection(world: World): Promise<string> {
  const { body } = await world.ask({ ...at('POST', '/library/1/collections'), body: { name: 'Made for a test' } });
  return `/library/1/collections/${Object(body).guid}`;
}

async function ownZone({ api, keys }: World): Promise<{ path: string; key: string }> {
  const library = await api.libraries.findLibrary(1);
  return { path: `/pullzone/${library?.pullZone.id}/resetSecurityKey`, key: keys.account };
}

/** Creates a library with these settings. Settings are cached, so those of existing libraries are not changed. */
async function makeLibrary({ api }: World, settings: object): Promise<{ id: number; key: string }> {
  const { library, keys } = await api.libraries.create({
    name: 'Made for a test',
    pullZoneName: null,
    libraryKey: null,
  });
  const values = { settings: JSON.stringify(settings) };
  await api.database.db.updateTable('library').set(values).where('id', '=', library.id).execute();
  return { id: library.id, key: keys.libraryKey };
}
