import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';

// The Terraform provider is a Go program that cannot be built where the tests run. These are its requests in the
// order, with the headers, bodies and expected statuses of its source (internal/api of BunnyWay/bunnynet).
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

/** Body of a library in a plan. Values that only the service knows are those that Go writes for unset fields. */
const PLANNED = {
  ...{ Name: 'Infrastructure', PlayerVersion: 2, UILanguage: 'en', FontFamily: 'rubik', PlayerKeyColor: '#ff7755' },
  ...{ CaptionsFontColor: '#fff', CaptionsFontSize: 20, CaptionsBackground: '#000', ShowHeatmap: false },
  ...{ Controls: 'play,progress,volume', CustomHTML: '', VastTagUrl: '', KeepOriginalFiles: true },
  ...{ AllowEarlyPlay: false, EnableContentTagging: true, EnableMP4Fallback: true },
  ...{ EnableMultiAudioTrackSupport: true, EnabledResolutions: '240p,360p', Bitrate240p: 600, Bitrate360p: 800 },
  ...{ Bitrate480p: 1400, Bitrate720p: 2800, Bitrate1080p: 5000, Bitrate1440p: 8000, Bitrate2160p: 25_000 },
  ...{ WatermarkPositionLeft: 0, WatermarkPositionTop: 0, WatermarkWidth: 0, WatermarkHeight: 0 },
  ...{ EnableTranscribing: false, EnableTranscribingTitleGeneration: false },
  ...{ EnableTranscribingDescriptionGeneration: false, TranscribingCaptionLanguages: [], AllowDirectPlay: true },
  ...{ AllowedReferrers: ['a.example.com'], BlockedReferrers: null, BlockNoneReferrer: true },
  ...{ PlayerTokenAuthenticationEnabled: false, EnableTokenAuthentication: true, EnableDRM: false, WebhookUrl: '' },
  ...{ PullZoneId: 0, StorageZoneId: 0, ApiKey: '', EncodingTier: 0, JitEncodingEnabled: false, OutputCodecs: 'x264' },
};

type Sent = { key: string; method: string; path: string; body?: unknown };

/** Sends a request as the client of the provider does. Returns the parsed body. */
async function send(expected: number, { key, method, path, body }: Sent): Promise<Record<string, unknown>> {
  const headers: Record<string, string> = { AccessKey: key, 'User-Agent': 'Terraform/1.9 BunnynetProvider/0.9' };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const text = body === undefined ? null : JSON.stringify(body);
  const answer = await fetch(`${api.url}${path}`, { method, headers, body: text });
  const received = await answer.text();
  expect([method, path, answer.status, answer.status === expected ? '' : received]).toEqual([
    method,
    path,
    expected,
    '',
  ]);
  return received.startsWith('{') ? JSON.parse(received) : {};
}

const core = (expected: number, method: string, path: string, body?: unknown) =>
  send(expected, { key: String(api.first.accountKey), method, path, body });

test('the Terraform provider creates, reads, changes and deletes a library', async () => {
  const { Id } = await core(201, 'POST', '/videolibrary', { Name: PLANNED.Name });
  const path = `/videolibrary/${Id}`;
  await core(200, 'POST', path, { Id, ...PLANNED });
  await core(200, 'POST', path, { EnableTokenAuthentication: true });
  const read = await core(200, 'GET', path);
  const zone = await core(200, 'GET', `/pullzone/${read.PullZoneId}`);
  expect([zone.ZoneSecurityEnabled, String(read.ApiKey).length > 20]).toEqual([true, true]);
  // A difference to the plan is an error of the provider.
  expect(read).toMatchObject({ EnableContentTagging: true, AllowedReferrers: ['a.example.com'], BlockedReferrers: [] });
  expect(read).toMatchObject({ PlayerKeyColor: '#ff7755', EnabledResolutions: '240p,360p', EnableMP4Fallback: true });
  for (const [kind, missing] of [
    ['Allowed', ['a.example.com']],
    ['Blocked', ['b.example.com']],
  ] as const) {
    for (const Hostname of missing) {
      await core(200, 'POST', `${path}/add${kind}Referrer`, { Hostname });
      await core(200, 'POST', `${path}/remove${kind}Referrer`, { Hostname });
    }
  }
  // The second apply sends what it read.
  const { PullZoneId, StorageZoneId, ApiKey } = read;
  await core(200, 'POST', path, { Id, ...PLANNED, PullZoneId, StorageZoneId, ApiKey });
  expect(await core(200, 'GET', path)).toMatchObject({ ApiKey, PullZoneId, StorageZoneId });
  await core(204, 'DELETE', path);
  await core(404, 'GET', path);
});

test('the Terraform provider manages collections, videos and host names', async () => {
  const { ApiKey, PullZoneId } = await core(200, 'GET', '/videolibrary/1');
  const stream = (expected: number, method: string, path: string, body?: unknown) =>
    send(expected, { key: String(ApiKey), method, path: `/library/1/${path}`, body });
  const shelf = await stream(200, 'POST', 'collections', { Name: 'Films', videoLibraryId: 1 });
  const own = { guid: shelf.guid, Name: 'Series', videoLibraryId: 1 };
  await stream(200, 'POST', `collections/${shelf.guid}`, own);
  expect(await stream(200, 'GET', `collections/${shelf.guid}`)).toMatchObject({ name: 'Series', videoLibraryId: 1 });
  const { guid } = Object((await api.call('POST', '/library/1/videos', { body: { title: 'A film' } })).body);
  const video = { guid, videoLibraryId: 1, collectionId: shelf.guid, title: 'Renamed' };
  const marks = {
    metaTags: [{ property: 'a', value: 'b' }],
    chapters: [{ title: 'Start', start: 0, end: 5 }],
    moments: [{ label: 'Peak', timestamp: 3 }],
  };
  await stream(200, 'POST', `videos/${guid}`, { ...video, ...marks });
  expect(await stream(200, 'GET', `videos/${guid}`)).toMatchObject({ ...video, ...marks });
  await stream(200, 'DELETE', `videos/${guid}`);
  await stream(404, 'DELETE', `videos/${guid}`);
  await stream(200, 'DELETE', `collections/${shelf.guid}`);
  await stream(404, 'GET', `collections/${shelf.guid}`);

  const Hostname = 'media.example.com';
  await core(204, 'POST', `/pullzone/${PullZoneId}/addHostname`, { Hostname });
  const { Hostnames } = await core(200, 'GET', `/pullzone/${PullZoneId}`);
  expect(Hostnames).toContainEqual(
    expect.objectContaining({ Value: Hostname, HasCertificate: false, ForceSSL: false }),
  );
  await core(204, 'POST', `/pullzone/${PullZoneId}/setForceSSL`, { ForceSSL: false, Hostname });
  await core(204, 'DELETE', `/pullzone/${PullZoneId}/removeCertificate`, { Hostname });
  await core(204, 'DELETE', `/pullzone/${PullZoneId}/removeHostname`, { Hostname });
  await core(200, 'GET', '/region');
  await core(200, 'GET', '/videolibrary/languages');
});
