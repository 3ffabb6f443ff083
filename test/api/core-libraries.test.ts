import { afterAll, beforeAll, expect, test } from 'vitest';
import { readLibrarySettings } from '../../src/catalog/libraries/library-settings.ts';
import { announce } from '../../src/catalog/webhooks/webhook-store.ts';
import { readEncodeSettings } from '../../src/jobs/encode-settings.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { type CallOptions, startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
let accountKey: string;
beforeAll(async () => {
  api = await startTestApi();
  accountKey = String(api.first.accountKey);
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const call = (method: string, path: string, options: CallOptions = {}) =>
  api.call(method, path, { key: accountKey, ...options });
const create = async (name: string) => Object((await call('POST', '/videolibrary', { body: { Name: name } })).body);

/** Everything that a library may be told, each value other than its default. */
const SETTINGS = {
  Name: 'Renamed',
  CustomHTML: '<b>hello</b>',
  PlayerKeyColor: '#123456',
  WatermarkPositionLeft: 5,
  WatermarkPositionTop: 6,
  WatermarkWidth: 20,
  WatermarkHeight: 10,
  EnabledResolutions: '240p,720p,2160p',
  ViAiPublisherId: 'publisher',
  VastTagUrl: 'https://ads.test/vast',
  WebhookUrl: 'https://hooks.test/in',
  CaptionsFontSize: 30,
  CaptionsFontColor: '#00ff00',
  CaptionsBackground: '#0000ff',
  UILanguage: 'de',
  AllowEarlyPlay: true,
  PlayerTokenAuthenticationEnabled: true,
  BlockNoneReferrer: true,
  EnableMP4Fallback: false,
  KeepOriginalFiles: false,
  AllowDirectPlay: false,
  EnableDRM: true,
  DrmVersion: 1,
  Controls: 'play,volume',
  PlaybackSpeeds: '0.5,1,3',
  Bitrate240p: 501,
  Bitrate360p: 502,
  Bitrate480p: 503,
  Bitrate720p: 504,
  Bitrate1080p: 505,
  Bitrate1440p: 506,
  Bitrate2160p: 507,
  ShowHeatmap: true,
  EnableContentTagging: true,
  FontFamily: 'serif',
  EnableTranscribing: true,
  EnableTranscribingTitleGeneration: true,
  EnableTranscribingDescriptionGeneration: true,
  EnableTranscribingChaptersGeneration: true,
  EnableTranscribingMomentsGeneration: true,
  TranscribingCaptionLanguages: ['en', 'pt-BR'],
  EnableCaptionsInPlaylist: false,
  RememberPlayerPosition: true,
  EnableMultiAudioTrackSupport: false,
  UseSeparateAudioStream: false,
  JitEncodingEnabled: true,
  EncodingTier: 0,
  OutputCodecs: 'x264,hevc',
  AppleFairPlayDrm: { Enabled: true, CertificateId: 7, Provider: 'keys' },
  GoogleWidevineDrm: {
    Enabled: true,
    CertificateId: null,
    Provider: null,
    SdOnlyForL3: true,
    MinClientSecurityLevel: 3,
  },
  PlayerVersion: 1,
  RemoveMetadataFromFallbackVideos: true,
  ScaleVideoUsingBothDimensions: false,
  ExposeOriginals: true,
  ExposeVideoMetadata: true,
  EnableCompactControls: true,
};

test('a library is made with 201, keys, a pull zone and the documented defaults', async () => {
  const { status, body } = await call('POST', '/videolibrary', { body: { name: 'Films', replicationregions: ['DE'] } });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    Id: expect.any(Number),
    Name: 'Films',
    VideoCount: 0,
    TrafficUsage: 0,
    StorageUsage: 0,
    DateCreated: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/),
    ReplicationRegions: ['DE'],
    ApiKey: expect.stringMatching(/^[0-9a-f]{64}$/),
    ReadOnlyApiKey: expect.stringMatching(/^[0-9a-f]{64}$/),
    EncodingTier: 1,
    OutputCodecs: 'x264',
    EnabledResolutions: '240p,360p,480p,720p,1080p',
    HasWatermark: false,
    WebhookUrl: null,
    EnableMP4Fallback: true,
  });
  const made = Object(body);
  expect(made.ApiAccessKey).toBe(made.ApiKey);
  expect((await call('GET', `/library/${made.Id}/videos`, { key: made.ApiKey })).status).toBe(200);
  expect((await call('GET', `/videolibrary/${made.Id}`)).body).toEqual(body);
});

test('every setting comes back as it was sent, and an update of one leaves the others', async () => {
  const { Id, PullZoneId } = await create('Settings');
  const zone = { EnableTokenAuthentication: true, EnableTokenIPVerification: true };
  const updated = await call('POST', `/videolibrary/${Id}`, {
    body: { ...SETTINGS, ...zone, Unknown: 1, ApiKey: 'x' },
  });
  expect(updated.status).toBe(200);
  expect(updated.body).toMatchObject(SETTINGS);
  expect((await call('GET', `/videolibrary/${Id}`)).body).toEqual(updated.body);
  expect((await call('GET', `/pullzone/${PullZoneId}`)).body).toMatchObject({
    ZoneSecurityEnabled: true,
    ZoneSecurityIncludeHashRemoteIP: true,
    BlockNoneReferrer: true,
  });
  const partial = await call('POST', `/videolibrary/${Id}`, { body: { showheatmap: false, FontFamily: null } });
  expect(partial.body).toMatchObject({ ...SETTINGS, ShowHeatmap: false });
  const whole = await call('POST', `/videolibrary/${Id}`, { body: partial.body });
  expect(whole.body).toEqual({ ...Object(partial.body), DateModified: Object(whole.body).DateModified });
});

test('numbers are numbers, flags are flags, and lists are text, as strict clients read them', async () => {
  const body = Object((await call('GET', '/videolibrary/1')).body);
  const numbers = [
    'EncodingTier',
    'DrmVersion',
    'PlayerVersion',
    'CaptionsFontSize',
    'WatermarkVersion',
    'PullZoneType',
  ];
  for (const name of [
    ...numbers,
    'WatermarkPositionLeft',
    'Bitrate720p',
    'MonthlyChargesTranscribing',
    'StorageZoneId',
  ])
    expect([name, Number.isInteger(body[name]) && body[name] >= 0]).toEqual([name, true]);
  for (const name of ['Controls', 'PlaybackSpeeds', 'OutputCodecs', 'EnabledResolutions'])
    expect([name, typeof body[name]]).toEqual([name, 'string']);
  expect(body.GoogleWidevineDrm).toMatchObject({ Enabled: false, SdOnlyForL3: false });
});

test.each([
  ['EnabledResolutions', '240p,999p'],
  ['OutputCodecs', 'x264,mpeg2'],
  ['PlaybackSpeeds', '1,fast'],
  ['PlaybackSpeeds', '9'],
  ['WatermarkWidth', 101],
  ['Bitrate720p', -1],
  ['WebhookUrl', 'ftp://hooks.test'],
  ['WebhookUrl', 'javascript:alert(1)'],
  ['EncodingTier', 2],
  ['EncodingTier', '1'],
  ['AllowEarlyPlay', 'yes'],
  ['Name', ' '],
  ['FontFamily', 'x'.repeat(2001)],
])('an update of %s to %j is 400, names the field and changes nothing', async (Field, value) => {
  const before = (await call('GET', '/videolibrary/1')).body;
  const { status, body } = await call('POST', '/videolibrary/1', { body: { ShowHeatmap: true, [Field]: value } });
  expect(status).toBe(400);
  expect(body).toEqual({ ErrorKey: 'request.invalid', Field, Message: expect.any(String) });
  expect((await call('GET', '/videolibrary/1')).body).toEqual(before);
});

test('the list is plain without a page and an envelope with one', async () => {
  for (const name of ['List one', 'List two', 'List three']) await create(name);
  for (const path of [
    '/videolibrary?search=LIST',
    '/videolibrary?page=0&search=list',
    '/videolibrary?page=&search=list',
  ]) {
    const { body } = await call('GET', path);
    expect(Object(body).map(({ Name }: { Name: string }) => Name)).toEqual(['List one', 'List two', 'List three']);
  }
  const page = (number: number) => call('GET', `/videolibrary?page=${number}&perPage=2&search=list`);
  expect((await page(1)).body).toMatchObject({ CurrentPage: 1, TotalItems: 3, HasMoreItems: true });
  const { body } = await page(2);
  expect(body).toMatchObject({ Items: [{ Name: 'List three' }], CurrentPage: 2, TotalItems: 3, HasMoreItems: false });
  expect(Object.keys(Object(body))).toEqual(['Items', 'CurrentPage', 'TotalItems', 'HasMoreItems']);
  expect((await call('GET', '/videolibrary?search=%25')).body).toEqual([]);
  expect((await page(7)).body).toMatchObject({ Items: [], TotalItems: 3, HasMoreItems: false });
});

test('pull zones are listed and read with their key, hosts and library', async () => {
  const { Id, PullZoneId } = await create('Zoned');
  const zones = Object((await call('GET', '/pullzone')).body);
  const { body } = await call('GET', `/pullzone/${PullZoneId}`);
  expect(zones).toContainEqual(body);
  expect(body).toMatchObject({
    Id: PullZoneId,
    VideoLibraryId: Id,
    ZoneSecurityEnabled: false,
    ZoneSecurityKey: expect.stringMatching(/^[0-9a-f-]{36}$/),
    ZoneSecurityIncludeHashRemoteIP: false,
    AllowedReferrers: [],
  });
  const { Name, Hostnames } = Object(body);
  expect(Hostnames).toMatchObject([{ Value: `${Name}.edge.test`, IsSystemHostname: true }]);
  expect((await call('GET', '/pullzone?page=1&perPage=1')).body).toMatchObject({ CurrentPage: 1, HasMoreItems: true });
  expect(await call('GET', '/pullzone/999')).toMatchObject({
    status: 404,
    body: { ErrorKey: 'pullZone.not_found', Field: 'PullZone' },
  });
});

test('ResetToken draws a new security key for the pull zone', async () => {
  const { Id, PullZoneId } = await create('Token');
  const key = async () => Object((await call('GET', `/pullzone/${PullZoneId}`)).body).ZoneSecurityKey;
  const before = await key();
  await call('POST', `/videolibrary/${Id}`, { body: { ResetToken: false } });
  expect(await key()).toBe(before);
  await call('POST', `/videolibrary/${Id}`, { body: { ResetToken: true } });
  expect(await key()).not.toBe(before);
});

test('referrers are put on their lists and taken off, once each, by host name', async () => {
  const { Id } = await create('Referrers');
  const change = (deed: string, Hostname: unknown) =>
    call('POST', `/videolibrary/${Id}/${deed}`, { body: { Hostname } });
  const hosts = async () => {
    const { AllowedReferrers, BlockedReferrers } = Object((await call('GET', `/videolibrary/${Id}`)).body);
    return { AllowedReferrers, BlockedReferrers };
  };
  expect(await change('addAllowedReferrer', 'Example.com')).toMatchObject({ status: 204, text: '' });
  expect((await change('addAllowedReferrer', 'example.COM')).status).toBe(204);
  expect((await change('addAllowedReferrer', '*.shop.test')).status).toBe(204);
  expect((await change('addBlockedReferrer', 'https://bad.test/page')).status).toBe(204);
  expect(await hosts()).toEqual({ AllowedReferrers: ['Example.com', '*.shop.test'], BlockedReferrers: ['bad.test'] });
  expect((await change('removeAllowedReferrer', 'EXAMPLE.com')).status).toBe(204);
  expect((await change('removeBlockedReferrer', 'absent.test')).status).toBe(204);
  expect(await hosts()).toEqual({ AllowedReferrers: ['*.shop.test'], BlockedReferrers: ['bad.test'] });
  for (const wrong of ['', 'two words', '*', 'a/b', 5]) {
    expect(await change('addAllowedReferrer', wrong)).toMatchObject({ status: 400, body: { Field: 'Hostname' } });
  }
});

test('several changes of one library at the same time are all kept', async () => {
  const { Id } = await create('Busy');
  const names = Array.from({ length: 12 }, (_, index) => `site${index}.test`);
  await Promise.all([
    ...names.map((Hostname) => call('POST', `/videolibrary/${Id}/addAllowedReferrer`, { body: { Hostname } })),
    call('POST', `/videolibrary/${Id}`, { body: { ShowHeatmap: true } }),
  ]);
  const body = Object((await call('GET', `/videolibrary/${Id}`)).body);
  expect(body.AllowedReferrers.toSorted()).toEqual(names.toSorted());
  expect(body.ShowHeatmap).toBe(true);
});

test('settings act: encoding, play data, webhooks and storage use', async () => {
  const library = await create('Acting');
  const { Id } = library;
  const key = library.ApiKey;
  const video = Object((await call('POST', `/library/${Id}/videos`, { key, body: { title: 'V' } })).body);
  const media = { libraryId: Id, mediaId: video.guid };
  await api.database.db.transaction().execute(announce(media, 0));
  await call('POST', `/videolibrary/${Id}`, {
    body: {
      EnabledResolutions: '360p',
      Bitrate360p: 900,
      WebhookUrl: 'https://hooks.test/',
      PlayerKeyColor: '#abcdef',
    },
  });
  await api.database.db.transaction().execute(announce(media, 3));
  const events = api.database.db.selectFrom('webhook_event').select('status').where('library_id', '=', Id).execute();
  expect(await events).toEqual([{ status: 3 }]);
  const row = await api.database.db
    .selectFrom('library')
    .select('settings')
    .where('id', '=', Id)
    .executeTakeFirstOrThrow();
  expect(readEncodeSettings(row.settings, {}).ladder).toMatchObject({ allowedRungs: [360] });
  expect(readEncodeSettings(row.settings, {}).ladder.maxBitratesBps).toMatchObject({ 360: 900_000 });
  expect(readLibrarySettings(row.settings).webhookUrl).toBe('https://hooks.test/');
  const play = await call('GET', `/library/${Id}/videos/${video.guid}/play`, { key: null });
  expect(play.body).toMatchObject({ playerKeyColor: '#abcdef', libraryName: 'Acting' });
  await api.database.db
    .updateTable('media')
    .set({ storage_bytes: 4_000_000_000 })
    .where('id', '=', video.guid)
    .execute();
  expect((await call('GET', `/videolibrary/${Id}`)).body).toMatchObject({ VideoCount: 1, StorageUsage: 4_000_000_000 });
});

test('languages are listed with their codes', async () => {
  const { status, body } = await call('GET', '/videolibrary/languages');
  expect(status).toBe(200);
  const codes = Object(body).map(({ ShortCode }: { ShortCode: string }) => ShortCode);
  expect(codes.length).toBeGreaterThanOrEqual(56);
  expect(new Set(codes).size).toBe(codes.length);
  expect(body).toContainEqual({
    ShortCode: 'en',
    Name: 'English',
    SupportPlayerTranslation: true,
    SupportTranscribing: true,
    TranscribingAccuracy: 0,
  });
});

const OPERATIONS = [
  ['GET', '/videolibrary'],
  ['POST', '/videolibrary'],
  ['GET', '/videolibrary/languages'],
  ['POST', '/videolibrary/resetApiKey?id=1'],
  ['GET', '/pullzone'],
] as const;

const OF_ONE = [
  ['GET', ''],
  ['POST', ''],
  ['DELETE', ''],
  ['POST', '/resetApiKey'],
  ['POST', '/resetReadOnlyApiKey'],
  ['POST', '/addAllowedReferrer'],
  ['POST', '/removeAllowedReferrer'],
  ['POST', '/addBlockedReferrer'],
  ['POST', '/removeBlockedReferrer'],
  ['PUT', '/watermark'],
  ['DELETE', '/watermark'],
  ['GET', '/audit'],
  ['GET', '/keys'],
  ['POST', '/keys'],
  ['DELETE', `/keys/${newGuid()}`],
] as const;

test("only the account's key opens the second address; a library's own key is refused", async () => {
  const paths = [...OPERATIONS, ...OF_ONE.map(([method, tail]) => [method, `/videolibrary/1${tail}`] as const)];
  const denied = { ErrorKey: 'authentication.failed', Field: 'AccessKey', Message: expect.any(String) };
  for (const [method, path] of [...paths, ['GET', '/pullzone/1'] as const]) {
    for (const key of [api.first.libraryKey, api.first.readOnlyKey, api.second.key, 'wrong', null]) {
      const { status, body } = await call(method, path, { key });
      expect([method, path, status, body]).toEqual([method, path, 401, denied]);
    }
  }
  expect((await call('GET', '/library/1/videos', { key: api.first.libraryKey })).status).toBe(200);
});

test('an unknown library is 404 with its error, for every operation on one', async () => {
  const unknown = { ErrorKey: 'videoLibrary.not_found', Field: 'VideoLibrary', Message: expect.any(String) };
  for (const [index, [method, tail]] of OF_ONE.entries()) {
    for (const id of [`99999${index}`, 'x', '-1']) {
      const body = { Hostname: 'a.test', Scope: 'read' };
      const answer = await call(method, `/videolibrary/${id}${tail}`, method === 'GET' ? {} : { body });
      expect([method, tail, answer.status, answer.body]).toEqual([method, tail, 404, unknown]);
    }
  }
  expect((await call('POST', '/videolibrary/resetApiKey')).status).toBe(404);
  expect((await call('POST', '/videolibrary/resetApiKey?id=999999')).status).toBe(404);
});

test.each([[{}], [{ Name: '' }], [{ Name: '  ' }], [{ Name: null }], [{ Name: 5 }]])(
  'a library of %j is 400',
  async (body) => {
    const answer = await call('POST', '/videolibrary', { body });
    expect(answer).toMatchObject({ status: 400, body: { ErrorKey: 'request.invalid', Field: 'Name' } });
  },
);
