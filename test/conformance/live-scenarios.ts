import { sql } from 'kysely';
import { PICTURE } from './samples.ts';
import type { Scenario, World } from './world.ts';

/** Requests that provoke each status that the live operations of the hosted API list. */
export const liveScenarios: Readonly<Record<string, Readonly<Record<number, Scenario>>>> = {
  'POST /library/{libraryId}/live': {
    200: async () => ({
      path: '/library/1/live',
      body: { title: 'Match', scheduledStartTime: '2030-01-01T18:00:00', rtmpOutputs: ['rtmp://a.example/live/key'] },
    }),
    400: async () => ({ path: '/library/1/live', body: { title: '', dvrEnabled: true } }),
  },
  'GET /library/{libraryId}/live': {
    200: async (world) => {
      await ownStream(world);
      return { path: '/library/1/live?page=1&itemsPerPage=2&search=&orderBy=planned' };
    },
    400: async () => ({ path: '/library/1/live?orderBy=colour' }),
    // A library that is deleted while its key is still cached.
    404: async (world) => {
      const { library, keys } = await world.api.libraries.create({ name: 'L', pullZoneName: null, libraryKey: null });
      await world.ask({ method: 'GET', path: `/library/${library.id}/collections`, key: keys.libraryKey });
      const gone = { deleted_at: new Date() };
      await world.api.database.db.updateTable('library').set(gone).where('id', '=', library.id).execute();
      return { path: `/library/${library.id}/live`, key: keys.libraryKey };
    },
  },
  'GET /library/{libraryId}/live/{streamId}': { 200: async (world) => ({ path: await ownStream(world) }) },
  'PUT /library/{libraryId}/live/{streamId}': {
    200: async (world) => ({ path: await ownStream(world), body: { title: 'Renamed', public: false } }),
    400: async (world) => ({
      path: await streamIn(world, 'running'),
      body: { dvrEnabled: true, dvrWindowSeconds: 60 },
    }),
  },
  'DELETE /library/{libraryId}/live/{streamId}': {
    200: async (world) => ({ path: await ownStream(world) }),
    400: async (world) => ({ path: await streamIn(world, 'vod-processing') }),
  },
  'GET /library/{libraryId}/live/{streamId}/play': {
    200: async (world) => ({ path: `${await ownStream(world)}/play?token=&expires=0`, key: null }),
    401: async (world) => {
      const { library, keys } = await world.api.libraries.create({ name: 'L', pullZoneName: null, libraryKey: null });
      const settings = JSON.stringify({ access: { playerTokenRequired: true } });
      const { db } = world.api.database;
      await db.updateTable('library').set({ settings }).where('id', '=', library.id).execute();
      const own = `/library/${library.id}/live`;
      const made = await world.ask({ method: 'POST', path: own, key: keys.libraryKey, body: { title: 'For few' } });
      return { path: `${own}/${Object(made.body).guid}/play?token=wrong&expires=4102444800`, key: null };
    },
    403: async (world) => {
      const path = await ownStream(world);
      await world.ask({ method: 'PUT', path, key: world.keys.own, body: { public: false } });
      return { path: `${path}/play?token=wrong&expires=4102444800`, key: null };
    },
  },
  'PUT /library/{libraryId}/live/{streamId}/start': {
    200: async (world) => ({ path: `${await ownStream(world)}/start` }),
    400: async (world) => ({ path: `${await streamIn(world, 'ended')}/start` }),
  },
  'PUT /library/{libraryId}/live/{streamId}/stop': {
    200: async (world) => ({ path: `${await streamIn(world, 'running')}/stop` }),
    400: async (world) => ({ path: `${await ownStream(world)}/stop` }),
  },
  'GET /library/{libraryId}/live/{streamId}/bitrate-history': {
    200: async (world) => ({ path: `${await ownStream(world)}/bitrate-history?startTime=2026-01-01`, key: null }),
  },
  'GET /library/{libraryId}/live/{streamId}/current-bitrate': {
    200: async (world) => ({ path: `${await ownStream(world)}/current-bitrate`, key: null }),
  },
  'POST /library/{libraryId}/live/{streamId}/thumbnail': {
    200: async (world) => ({ path: `${await ownStream(world)}/thumbnail`, body: PICTURE }),
    400: async (world) => ({ path: `${await ownStream(world)}/thumbnail` }),
    422: async (world) => ({ path: `${await ownStream(world)}/thumbnail?thumbnailUrl=http://127.0.0.1:1/a.jpg` }),
  },
  'GET /library/{libraryId}/live/{streamId}/thumbnails': {
    200: async (world) => {
      const path = await ownStream(world);
      const still = { stream_id: path.split('/').at(-1), storage_key: 'a', size_bytes: 1 };
      await sql`insert into live_thumbnail (stream_id, at, storage_key, size_bytes)
        values (${still.stream_id}, now(), ${still.storage_key}, 1)`.execute(world.api.database.db);
      return { path: `${path}/thumbnails?limit=3` };
    },
    400: async (world) => ({ path: `${await ownStream(world)}/thumbnails?from=2026-02-01&to=2026-01-01` }),
  },
};

async function ownStream(world: World): Promise<string> {
  const body = { title: 'Made for a test' };
  const answer = await world.ask({ method: 'POST', path: '/library/1/live', key: world.keys.own, body });
  return `/library/1/live/${Object(answer.body).guid}`;
}

/** Creates a stream in a given state. Ingest, which causes these transitions, is not part of these tests. */
async function streamIn(world: World, state: 'running' | 'ended' | 'vod-processing'): Promise<string> {
  const path = await ownStream(world);
  const endedAt = state === 'running' ? null : new Date();
  await sql`update live_stream set state = ${state}, started_at = now(), ended_at = ${endedAt}
    where id = ${path.split('/').at(-1)}`.execute(world.api.database.db);
  return path;
}
