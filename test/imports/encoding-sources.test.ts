import { expect, test } from 'vitest';
import { SourcePreparing } from '../../src/jobs/imports/source-client.ts';
import { createSourceReader, type Name } from './create-source-reader.ts';
import { type Call, missing, type Reply } from './scripted-api.ts';

const { guidFor, listAll, locate, script } = createSourceReader();

/** Videos that are ready only when they are read again, in the form of each source. */
const ENCODING: [Name, (call: Call, isReady: boolean) => Reply][] = [
  [
    'bunny',
    ({ path }, isReady) => {
      if (path.endsWith('/collections')) return { json: { totalItems: 0, items: [] } };
      const facts = { availableResolutions: '240p', hasMP4Fallback: true, hasOriginal: false, guid: guidFor('a') };
      const video = { ...facts, status: isReady ? 4 : 3 };
      return { json: path.endsWith('/videos') ? { totalItems: 1, itemsPerPage: 10, items: [video] } : video };
    },
  ],
  [
    'vimeo',
    ({ path }, isReady) => {
      if (path === '/me/projects') return { json: { total: 0, data: [], paging: {} } };
      const download = [{ quality: 'source', link: 'https://a.b/c' }];
      const video = {
        uri: '/videos/1',
        status: isReady ? 'available' : 'transcoding',
        download: isReady ? download : [],
      };
      return { json: path === '/me/videos' ? { total: 1, data: [video], paging: {} } : video };
    },
  ],
  [
    'mux',
    ({ path }, isReady) => {
      const master = { status: 'ready', url: 'https://a.b/c' };
      const asset = { id: 'a', status: isReady ? 'ready' : 'preparing', ...(isReady && { master }) };
      return { json: { data: path === '/video/v1/assets' ? [asset] : asset } };
    },
  ],
  [
    'cloudflare',
    ({ path, method }, isReady) => {
      const video = { uid: 'uid', status: { state: isReady ? 'ready' : 'inprogress' } };
      if (path.endsWith('/stream')) return { json: { result: [video] } };
      if (path.endsWith('/uid')) return { json: { result: video } };
      if (path.endsWith('/captions')) return { json: { result: [] } };
      if (method === 'GET') return { json: { result: {} } };
      return { json: { result: { default: { status: 'ready', url: 'https://a.b/c' } } } };
    },
  ],
  [
    'peertube',
    ({ path }, isReady) => {
      const state = isReady ? { id: 1, label: 'Published' } : { id: 2, label: 'To transcode' };
      const files = isReady ? [{ resolution: { id: 720 }, fileUrl: 'https://a.b/c' }] : [];
      const video = { uuid: guidFor('a'), name: 'A', state, files };
      if (path.endsWith('/me/videos')) return { json: { total: 1, data: [video] } };
      return path.endsWith(`/videos/${video.uuid}`) ? { json: video } : missing;
    },
  ],
];

test.each(ENCODING)('%s waits for a video that was being encoded when it was listed', async (name, answer) => {
  let isReady = false;
  const request = await script((call) => answer(call, isReady));
  const item = (await listAll(name, request)).at(-1);
  expect(item).toMatchObject({ obstacle: { isRetryable: true } });
  await expect(locate(name, request, item)).rejects.toBeInstanceOf(SourcePreparing);
  isReady = true;
  expect((await locate(name, request, item)).files.length).toBeGreaterThan(0);
});
