import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import type { StorageKey } from '../../src/ports/storage.ts';
import { startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
let guid: Guid;
beforeAll(async () => {
  api = await startTestApi();
  const { body } = await api.call('POST', '/library/1/videos', { body: { title: 'A "quoted" <title>' } });
  // The GUID comes from our own response.
  guid = String(Object(body).guid) as Guid;
  await api.database.db
    .updateTable('media')
    .set({ width_px: 1920, height_px: 1080, thumbnail_key: 'k' as StorageKey })
    .where('id', '=', guid)
    .execute();
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const ask = (query: Record<string, string>, path = '/OEmbed') =>
  api.call('GET', `${path}?${new URLSearchParams(query)}`, { key: null });
const page = () => `http://edge.test/embed/1/${guid}`;

test('describes a player page without a key, for both formats of its URL', async () => {
  const { status, body } = await ask({ url: page() });
  expect(status).toBe(200);
  const thumbnail = `http://edge.test/vz-1/${guid}/thumbnail.jpg`;
  expect(body).toEqual({
    version: '1.0',
    type: 'video',
    title: 'A "quoted" <title>',
    width: 1920,
    height: 1080,
    html: expect.stringContaining(
      `<iframe src="http://edge.test/embed/1/${guid}" title="A &quot;quoted&quot; &lt;title&gt;"`,
    ),
    thumbnail_url: thumbnail,
    thumbnail_width: 1920,
    thumbnail_height: 1080,
    provider_name: 'Millrace',
    provider_url: 'http://edge.test',
    thumbnailUrl: thumbnail,
    thumbnailWidth: 1920,
    thumbnailHeight: 1080,
    providerName: 'Millrace',
    providerUrl: 'http://edge.test',
  });
  expect((await ask({ url: `http://edge.test/play/1/${guid}` }, '/oembed')).body).toEqual(body);
});

test.each([
  [{ maxWidth: '640' }, [640, 360]],
  [{ maxheight: '90' }, [160, 90]],
  [{ maxWidth: '640', maxHeight: '100' }, [178, 100]],
  [{ maxWidth: '100000', maxHeight: '100000' }, [1920, 1080]],
  [{ maxWidth: '' }, [1920, 1080]],
])('fits the player into limits of %j: %j', async (bounds, expected) => {
  const { body } = await ask({ url: page(), ...bounds });
  const { width, height, html } = Object(body);
  expect([width, height]).toEqual(expected);
  expect(html).toContain(`width="${width}" height="${height}"`);
});

describe('unusable oEmbed requests', () => {
  test.each([
    [{ maxWidth: '0' }, 400, /Expected maxWidth to be a whole number from 1/],
    [{ maxHeight: 'wide' }, 400, /Expected maxHeight/],
    [{}, 400, /Expected the URL of a player page as url, got none/],
    [{ url: '' }, 400, /got none/],
    [{ url: 'nonsense' }, 404, /got "nonsense"/],
    [{ url: `https://elsewhere.example/embed/1/${newGuid()}` }, 404, /Expected url to be a player page/],
    [{ url: 'http://edge.test/embed/1/not-a-guid' }, 404, /Expected url to be a player page/],
    [{ url: `http://edge.test/embed/999/${newGuid()}` }, 404, /Expected url to be a player page/],
    [{ url: `http://edge.test/embed/1/${newGuid()}` }, 404, /Video .* not found/],
  ])('rejects %j', async (query, status, message) => {
    const answer = await ask(query);
    expect([answer.status, answer.body]).toEqual([
      status,
      { success: false, message: expect.stringMatching(message), statusCode: status },
    ]);
  });
});

test('applies referrer rules and the direct-play rule', async () => {
  const { db } = api.database;
  const set = (access: object) =>
    db
      .updateTable('library')
      .set({ settings: JSON.stringify({ access }) })
      .where('id', '=', 1)
      .execute();
  const from = (referrer: string, url = page()) =>
    api.call('GET', `/OEmbed?${new URLSearchParams({ url })}`, { key: null, headers: { Referer: referrer } });
  await set({ allowedReferrers: ['good.test'], blockNoneReferrer: true, allowDirectPlay: false });
  const patience = { timeout: 20_000, interval: 50 };
  await vi.waitFor(async () => expect((await ask({ url: page() })).status).toBe(401), patience);
  expect((await from('https://bad.test/')).status).toBe(401);
  expect((await from('https://good.test/')).status).toBe(200);
  const direct = await from('https://good.test/', page().replace('/embed/', '/play/'));
  expect([direct.status, Object(direct.body).Message]).toEqual([401, expect.stringMatching(/not allow direct play/)]);
  await set({});
  await vi.waitFor(async () => expect((await ask({ url: page() })).status).toBe(200), patience);
});

test('requires a token if the library requires tokens, and passes it to the frame', async () => {
  const { db } = api.database;
  const settings = JSON.stringify({ access: { playerTokenRequired: true } });
  await db.updateTable('library').set({ settings }).where('id', '=', 1).execute();
  await vi.waitFor(async () => expect((await ask({ url: page() })).status).toBe(401), {
    timeout: 20_000,
    interval: 50,
  });
  const expires = String(Math.floor(Date.now() / 1000) + 60);
  const token = createHash('sha256').update(`${api.first.libraryKey}${guid}${expires}`).digest('hex');
  const { status, body } = await ask({ url: page(), token, expires });
  expect(status).toBe(200);
  expect(Object(body).html).toContain(`src="${page()}?token=${token}&amp;expires=${expires}"`);
  const late = await ask({ url: page(), token, expires: '1' });
  expect([late.status, Object(late.body).Message]).toEqual([401, expect.stringMatching(/expired at 1970-01-01/)]);
});

test('returns a signed thumbnail URL in a zone that requires tokens', async () => {
  const { db } = api.database;
  await db.updateTable('library').set({ settings: '{}' }).where('id', '=', 1).execute();
  const zone = () => db.updateTable('pull_zone').where('library_id', '=', 1);
  await zone()
    .set({ settings: JSON.stringify({ tokenRequired: true }) })
    .execute();
  const thumbnail = async () => Object((await ask({ url: page() })).body).thumbnail_url;
  const signed = new RegExp(`^http://edge.test/vz-1/${guid}/thumbnail.jpg\\?token=HS256-[^&]+&expires=[0-9]+$`);
  await vi.waitFor(async () => expect(await thumbnail()).toMatch(signed), { timeout: 20_000, interval: 50 });
});
