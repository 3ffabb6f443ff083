import { newGuid } from '../../src/lib/guid.ts';
import type { Real } from './interface-data.ts';
import { UNKNOWN_GUID } from './make-rows.ts';
import { CAPTIONS, PICTURE } from './samples.ts';
import type { World } from './world.ts';

const OF_SHARES = {
  CreateShareModel: { allowDownload: false },
  UpdateShareModel: { allowDownload: true },
  CreateCommentModel: { text: 'A sample', time: 0 },
  UpdateCommentModel: { isResolved: true },
};

/** Returns a minimal body that an operation accepts, or null for an operation without a body. */
export function sampleBody({ body, name }: Real, { origin }: World): unknown {
  if (body === null) return null;
  if (body === 'raw')
    return name === 'uploadVideo' || name === 'putAudioTrack' ? Buffer.from('bytes of a video') : PICTURE;
  const { title }: { title?: string } = { ...body };
  const samples: Record<string, object> = {
    CreateVideoModel: { title: 'A sample' },
    TranscribeSettings: { sourceLanguage: 'en' },
    CreateBulkModel: { action: 'retry', videoIds: [UNKNOWN_GUID] },
    ...placesElsewhere(origin.url),
    SmartGenerateModel: { generateTitle: true, sourceLanguage: 'en' },
    UpdateVideoModel: { title: 'A sample' },
    ...OF_SHARES,
    UpdateVideoOrderModel: { order: 'title' },
    CreateWebhookEndpointModel: { url: `${origin.url}/hook` },
    UpdateWebhookEndpointModel: { name: 'A sample' },
    UpdateAudioTrackModel: { title: 'A sample' },
    ComposeVideoModel: { title: 'A sample', parts: [{ videoId: UNKNOWN_GUID, startMs: 0, endMs: 1000 }] },
    CreateLiveStreamModel: { title: 'A sample', dvrEnabled: true, dvrWindowSeconds: 7200 },
    UpdateLiveStreamModel: { title: 'A sample' },
    UpdateCollectionModel: { name: 'A sample' },
    UpdateFeedModel: { title: 'A sample' },
    UpdateChatWebhookModel: { url: `${origin.url}/chat` },
    UpdateViewerAccessModel: { mode: 'hook', url: `${origin.url}/viewer` },
    TestViewerAccessModel: { videoId: UNKNOWN_GUID },
    PortableSettingsModel: { version: 1, sound: { NormaliseLoudness: true } },
    UpdateQuotasModel: { storageBytes: { limit: 1e15, mode: 'soft' } },
    FetchVideoRequest: { url: `${origin.url}/film.mp4` },
    CaptionModelAdd: { label: 'English', captionsFile: Buffer.from(CAPTIONS).toString('base64') },
    ResetPullZoneSecurityKeyModel: { SecurityKey: 'a key of my own' },
    VideoLibraryCreateModel: { Name: 'A sample' },
    VideoLibraryUpdateModel: { Name: 'A sample' },
    LibrarySoundUpdateModel: { NormaliseLoudness: true },
    FairPlayRequest: { spc: 'c3Bj' },
    StorageZoneUpdateModel: { ReplicationZones: [] },
    ReferrerModel: { Hostname: `sample-${newGuid()}.example.com` },
    PullZoneUpdateModel: { RequestLimit: 0 },
    PullZoneAddModel: { Name: 'a-sample', StorageZoneId: 1 },
    ForceSSLRequestModel: { Hostname: 'sample.example.com', ForceSSL: false },
    AddCertificateRequestModel: { Hostname: 'sample.example.com', Certificate: 'cGVt', CertificateKey: 'cGVt' },
    RemoveCertificateRequestModel: { Hostname: 'sample.example.com' },
    UpdateShieldZoneModel: { shieldZoneId: 0, shieldZone: { wafExecutionMode: 0 } },
    EventLogsSearchRequest: { from: Date.now() - 1_000, to: Date.now() },
    EventLogsExportRequest: { from: Date.now() - 1_000, to: Date.now() },
    BlockedIpModel: { BlockedIp: '192.0.2.1' },
    ExplainRequestModel: { Url: '/a' },
    InvitePersonModel: { Email: `${newGuid()}@example.com`, Role: 'viewer' },
    UpdatePersonModel: { Name: 'A sample' },
    CreateSignInProviderModel: { Name: 'A sample', Issuer: 'https://id.example.com', ClientId: 'millrace' },
    UpdateSignInProviderModel: { Name: 'A sample' },
    CreateAccessKeyModel: { Label: 'A sample', Scope: 'read' },
  };
  const sample = samples[title ?? ''];
  if (sample === undefined)
    throw new Error(`Add a sample of ${title} to sample-body.ts, because ${name} takes it as its body.`);
  return sample;
}

/** Bodies that name a place to import from or to export to. */
function placesElsewhere(apiUrl: string): Record<string, object> {
  return {
    CreateImportModel: { source: 'millrace', apiUrl, accessKey: 'a key', sourceLibraryId: 1, cdnUrl: apiUrl },
    CreateExportModel: { target: 's3', apiUrl, bucket: 'films', accessKey: 'a key', secretKey: 'a secret' },
  };
}
