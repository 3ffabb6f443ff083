import { afterAll, beforeAll, expect, test } from 'vitest';
import { signFolder } from '../../src/catalog/pull-zones/verify-url-token.ts';
import { loadZonePolicy } from '../../src/catalog/pull-zones/zone-policy-store.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { storageKey } from '../../src/ports/storage.ts';
import { startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
let zone: number;
beforeAll(async () => {
  api = await startTestApi();
  const { db } = api.database;
  zone = (await db.selectFrom('pull_zone').select('id').where('library_id', '=', 1).executeTakeFirstOrThrow()).id;
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const call = async (method: string, path: string, body?: unknown) => {
  const answer = await api.call(method, `/pullzone/${zone}${path}`, { key: api.first.accountKey, body });
  return { status: answer.status, body: Object(answer.body) };
};

const policy = async () => {
  const found = await loadZonePolicy(
    { db: api.database.db, secretBox: api.secretBox },
    { by: 'library', libraryId: 1 },
  );
  if (found === null) throw new Error('Expected a policy.');
  return found;
};

const RULES = {
  ZoneSecurityEnabled: true,
  ZoneSecurityIncludeHashRemoteIP: true,
  AllowedReferrers: ['owner.example', '*.owner.example'],
  BlockedReferrers: ['foreign.example'],
  BlockNoneReferrer: true,
  BlockedIps: ['192.0.2.7', '198.51.100.0/24', '203.0.113.*'],
  BlockedCountries: ['XX', 'YY'],
  RequestLimit: 10,
  BurstSize: 20,
  ConnectionLimitPerIPCount: 30,
  BlockRootPathAccess: true,
  BlockPostRequests: true,
  LimitRatePerSecond: 500,
  LimitRateAfter: 1000,
  IgnoreQueryStrings: false,
  EnableAccessControlOriginHeader: true,
  AccessControlOriginHeaderExtensions: ['m3u8', 'vtt'],
  UseStaleWhileUpdating: false,
  UseStaleWhileOffline: false,
  CacheErrorResponses: true,
  OriginRetries: 2,
  LoggingIPAnonymizationEnabled: false,
};

test('stores rules as sent, keeps absent and null ones, and raises the revision with each change', async () => {
  const before = await policy();
  const { status, body } = await call('POST', '', { ...RULES, unknown: 1 });
  expect([status, body]).toEqual([200, expect.objectContaining(RULES)]);
  const lower = await call('POST', '', { requestlimit: '11', BlockedIps: null });
  expect(lower.body).toMatchObject({ ...RULES, RequestLimit: 11 });
  const after = await policy();
  expect(after.revision).toBeGreaterThan(before.revision + 1);
  expect(after.referrers).toMatchObject({ allowedReferrers: RULES.AllowedReferrers, blockNoneReferrer: true });
});

test.each([
  ['BlockedIps', ['no address']],
  ['BlockedCountries', ['Germany']],
  ['RequestLimit', -1],
  ['AllowedReferrers', ['not a host']],
])('rejects %s = %s with an error that names the field', async (field, value) => {
  expect(await call('POST', '', { [field]: value })).toMatchObject({ status: 400, body: { Field: field } });
});

test('adds and removes list entries one by one, and shares the referrers with the library', async () => {
  const entry = { BlockedIp: '192.0.2.99' };
  expect((await call('POST', '/addBlockedIp', entry)).status).toBe(204);
  expect((await policy()).settings.blockedAddresses).toContain('192.0.2.99');
  expect((await call('POST', '/removeBlockedIp', entry)).status).toBe(204);
  expect((await policy()).settings.blockedAddresses).not.toContain('192.0.2.99');
  expect((await call('POST', '/addAllowedReferrer', { Hostname: 'added.example' })).status).toBe(204);
  const library = await api.call('GET', '/videolibrary/1', { key: api.first.accountKey });
  expect(Object(library.body).AllowedReferrers).toContain('added.example');
  expect((await call('POST', '/removeAllowedReferrer', { Hostname: 'ADDED.example' })).status).toBe(204);
  expect((await policy()).referrers.allowedReferrers).not.toContain('added.example');
});

test('a hostname belongs to at most one zone, is listed, and can be removed', async () => {
  const body = { Hostname: 'Media.Owner.example' };
  expect((await call('POST', '/addHostname', body)).status).toBe(204);
  expect((await policy()).hostnames).toEqual(['media.owner.example']);
  const { body: zoneModel } = await call('GET', '');
  expect(zoneModel.Hostnames).toContainEqual(expect.objectContaining({ Value: 'media.owner.example' }));
  expect((await call('POST', '/addHostname', body)).status).toBe(400);
  expect((await call('DELETE', '/removeHostname', body)).status).toBe(204);
  expect((await policy()).hostnames).toEqual([]);
  expect((await call('POST', '/purgeCache')).status).toBe(204);
});

test('a reset invalidates the previous key immediately, or after the requested overlap', async () => {
  const { current } = (await policy()).keys;
  expect((await call('POST', '/resetSecurityKey?overlapSec=60', {})).status).toBe(204);
  const overlapping = (await policy()).keys;
  expect([overlapping.previous?.key, overlapping.current === current]).toEqual([current, false]);
  expect((await call('POST', '/resetSecurityKey', { SecurityKey: 'my own key 1' })).status).toBe(204);
  expect((await policy()).keys).toMatchObject({ current: 'my own key 1', previous: null });
});

test('explain returns the deciding rule, the signed text and the likely mistake', async () => {
  await call('POST', '', {
    ...RULES,
    ZoneSecurityIncludeHashRemoteIP: false,
    BlockedIps: [],
    BlockedReferrers: [],
    AllowedReferrers: [],
    BlockNoneReferrer: false,
  });
  const mediaId = newGuid();
  const { keys, name } = await policy();
  const explain = async (key: string, change: object = {}) => {
    const token = signFolder({ key, folder: `/${mediaId}/`, expiresSec: 2_000_000_000, address: null });
    const Url = `https://edge.test/${name}/${token}/${mediaId}/playlist.m3u8`;
    return (await call('POST', '/explain', { Url, Method: 'GET', RemoteIp: '192.0.2.50', ...change })).body;
  };
  expect(await explain(keys.current)).toMatchObject({ Verdict: 'Admitted', RuleId: null, NearMiss: null });
  const wrong = await explain(keys.library);
  expect(wrong).toMatchObject({
    Verdict: 'Blocked',
    RuleId: '10101',
    NearMiss: expect.stringContaining("library's key"),
  });
  expect(wrong.SignedString).toContain(`"/${mediaId}/2000000000token_path=/${mediaId}/"`);
  expect(JSON.stringify(wrong)).not.toContain(keys.current);
  // The test's addresses are in Germany.
  await call('POST', '', { BlockedCountries: ['DE'] });
  expect(await explain(keys.current)).toMatchObject({ Verdict: 'Blocked' });
  expect(await explain(keys.current, { Country: 'fr' })).toMatchObject({ Verdict: 'Admitted' });
  await call('POST', '', { BlockedCountries: [] });
  expect(await explain(keys.current, { At: '2040-01-01T00:00:00Z' })).toMatchObject({ RuleId: '10102' });
});

test('with token authentication, video models and play data contain URLs signed for one folder', async () => {
  const made = await api.call('POST', '/library/1/videos', { body: { title: 'A film' } });
  const { guid } = Object(made.body);
  const { body } = await api.call('GET', `/library/1/videos/${guid}/play`, { key: null });
  const { videoPlaylistUrl, captionsPath, seekPath, thumbnailUrl } = Object(body);
  const stream = Object((await api.call('POST', '/library/1/live', { body: { title: 'Live' } })).body);
  const still = new Date('2026-11-01T10:00:00Z');
  await api.database.db
    .insertInto('live_thumbnail')
    .values({ stream_id: stream.guid, at: still, storage_key: storageKey('x'), size_bytes: 1 })
    .execute();
  const livePlay = await api.call('GET', `/library/1/live/${stream.guid}/play`, { key: null });
  const stills = await api.call('GET', `/library/1/live/${stream.guid}/thumbnails`);
  const streams = await api.call('GET', '/library/1/live');
  const withThumbnail = { thumbnail_key: storageKey('x') };
  await api.database.db.updateTable('media').set(withThumbnail).where('id', '=', guid).execute();
  const video = await api.call('GET', `/library/1/videos/${guid}`);
  const videos = await api.call('GET', '/library/1/videos');
  const addresses = [
    stream.playbackUrlHls,
    Object(streams.body).items[0].playbackUrlHls,
    Object(livePlay.body).videoPlaylistUrl,
    Object(livePlay.body).thumbnailUrl,
    Object(livePlay.body).liveStream.playbackUrlHls,
    Object(stills.body)[0].url,
    Object(video.body).thumbnailUrl,
    Object(videos.body).items[0].thumbnailUrl,
    videoPlaylistUrl,
  ];
  for (const Url of addresses) {
    const verdict = await call('POST', '/explain', { Url, Method: 'GET', RemoteIp: '127.0.0.1' });
    expect([Url, verdict.body]).toMatchObject([Url, { Verdict: 'Admitted' }]);
  }
  const [folder = ''] = videoPlaylistUrl.split('playlist.m3u8');
  expect(folder).toMatch(new RegExp(`/bcdn_token=HS256-[^/]+/${guid}/$`));
  expect([captionsPath, seekPath]).toEqual([`${folder}captions/`, `${folder}seek`]);
  expect(thumbnailUrl.startsWith(folder)).toBe(true);
});
