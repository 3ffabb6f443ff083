import { afterAll, beforeAll, expect, test } from 'vitest';
import { readLibrarySettings } from '../../src/catalog/libraries/library-settings.ts';
import { announce } from '../../src/catalog/webhooks/webhook-store.ts';
import { readEncodeSettings } from '../../src/jobs/planning/encode-settings.ts';
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

/** Every setting of a library, each with a value other than its default. */
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

test('returns every setting as sent, and changes only the settings in an update', async () => {
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

test('returns numbers, booleans and lists with the types that strict clients expect', async () => {
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
  ['EncodingTier', 'one'],
  ['AllowEarlyPlay', 'yes'],
  ['Name', ' '],
  ['FontFamily', 'x'.repeat(2001)],
])('rejects the setting %s = %j with 400, names the field and changes nothing', async (Field, value) => {
  const before = (await call('GET', '/videolibrary/1')).body;
  const { status, body } = await call('POST', '/videolibrary/1', { body: { ShowHeatmap: true, [Field]: value } });
  expect(status).toBe(400);
  expect(body).toEqual({ ErrorKey: 'request.invalid', Field, Message: expect.any(String) });
  expect((await call('GET', '/videolibrary/1')).body).toEqual(before);
});

test('applies settings to encoding, play data, webhooks and storage use', async () => {
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
