import { WIRE_CODECS } from '../../../media/encode/codecs/all.ts';
import type { FieldTexts } from './field-texts.ts';

const CODECS = [...WIRE_CODECS.keys()].map((name) => `\`${name}\``).join(', ');
const UPLOADS = 'For uploads that do not set it.';

/** Descriptions of the fields of libraries. */
export const LIBRARY_FIELD_TEXTS: FieldTexts = {
  VideoLibraryModel: {
    Id: 'Id of the library, as used in paths.',
    Name: 'Name of the library, at most 2000 characters.',
    VideoCount: 'Number of videos. Videos in the trash do not count.',
    TrafficUsage: 'Bytes that the edges sent this month (UTC), including headers.',
    StorageUsage: 'Stored bytes of all videos of the library.',
    DateCreated: 'Time of creation.',
    DateModified: 'Time of the last change of the settings.',
    ReplicationRegions: 'Stored and returned without effect: there is one object store.',
    ApiKey: 'Key for reading and writing. Also signs tus uploads.',
    ReadOnlyApiKey: 'Key for reading. Also the secret that signs webhooks.',
    ApiAccessKey: 'The same key as `ApiKey`.',
    HasWatermark:
      'Whether an image was uploaded as watermark. It is encoded into videos that are planned from then on.',
    WatermarkPositionLeft: 'Distance of the watermark from the left edge, 0 to 100 percent of the width.',
    WatermarkPositionTop: 'Distance of the watermark from the top edge, 0 to 100 percent of the height.',
    WatermarkWidth:
      'Maximum width of the watermark, 0 to 100 percent of the picture. 0 derives it from the height. If both are 0, ' +
      'the width is 15 percent.',
    WatermarkHeight: 'Maximum height of the watermark, 0 to 100 percent of the picture. 0 derives it from the width.',
    WatermarkVersion: 'Number of uploads of the watermark.',
    PullZoneId: 'Id of the pull zone that delivers the library. Its security key signs URLs and embed tokens.',
    StorageZoneId: 'Id of the storage zone, equal to the id of the library.',
    PullZoneType: 'Always 0.',
    EnabledResolutions:
      'Comma-separated resolutions to encode: `240p`, `360p`, `480p`, `720p`, `1080p`, `1440p`, `2160p`. Default: ' +
      '`240p` to `1080p`. Videos are never scaled up.',
    ViAiPublisherId:
      'Stored and passed on in play data. The built-in player shows no such advertisements. Default: null.',
    VastTagUrl: 'URL of a VAST tag. The player plays its advertisement before the video. Null or empty for none.',
    WebhookUrl: 'URL that receives webhooks, http or https. Null or empty for none.',
    CaptionsFontSize: 'Font size of captions in pixels. Default 20.',
    CaptionsFontColor: 'CSS colour of the text of captions. Default `#ffffff`.',
    CaptionsBackground: 'CSS colour behind captions. Default `#000000`.',
    UILanguage: 'Language code of the player, such as `en`. Default `en`.',
    AllowEarlyPlay: 'Whether viewers may play the original file until the video is finished. Default false.',
    PlayerTokenAuthenticationEnabled: 'Whether the player page and play data require an embed token. Default false.',
    EnableTokenAuthentication:
      'Whether file URLs require a token. Sets `ZoneSecurityEnabled` of the pull zone. Default false.',
    EnableTokenIPVerification:
      "Whether a URL token is valid only for the viewer's IP address. Sets `ZoneSecurityIncludeHashRemoteIP` of the " +
      'pull zone. Default false.',
    AllowedReferrers:
      'Host names whose pages may embed videos, such as `example.com` or `*.example.com`. An empty list allows all. ' +
      'An update replaces the list. An empty list leaves it unchanged: `removeAllowedReferrer` removes the last name.',
    BlockedReferrers:
      'Host names whose pages may not embed videos. An update replaces the list. An empty list leaves it unchanged: ' +
      '`removeBlockedReferrer` removes the last name.',
    BlockNoneReferrer: 'Whether requests without a referrer are refused. Default false.',
    EnableMP4Fallback: 'Whether finished videos without DRM can be downloaded as MP4. Default true.',
    KeepOriginalFiles:
      'Whether the uploaded file is kept. If false, it is deleted ten minutes after the video is finished, and the ' +
      'video cannot be encoded again. Default true.',
    AllowDirectPlay: 'Whether the player page may be opened on its own, outside a page of the owner. Default true.',
    EnableDRM: 'Whether videos are encrypted, with the method in `DrmVersion`. Default false.',
    DrmVersion: 'Kind of encryption; used only if `EnableDRM` is true. Default 0.',
    AppleFairPlayDrm: 'Settings of FairPlay, for Enterprise DRM.',
    GoogleWidevineDrm: 'Settings of Widevine, for Enterprise DRM.',
    ShowHeatmap: 'Whether the player and the API show the heatmap of a video. Default false.',
    EnableContentTagging: 'Stored, but without effect: content tagging is not available.',
    PerTitleEncoding: 'Whether resolutions that would not look better than a smaller one are left out. Default false.',
    CustomHTML: 'HTML that the player page contains, at most 100000 characters. Null for none.',
    Controls:
      'Comma-separated controls of the player: `play-large`, `play`, `progress`, `current-time`, `duration`, `mute`, ' +
      '`volume`, `captions`, `settings`, `pip`, `airplay`, `fullscreen`, `rewind`, `fast-forward`.',
    PlaybackSpeeds: 'Comma-separated speeds of the player, 0.25 to 4. Default `0.5,0.75,1,1.25,1.5,2`.',
    PlayerKeyColor: 'CSS colour of the controls of the player. Default `#ff5f1f`.',
    FontFamily: 'CSS font family of the player. Default `sans-serif`.',
    EnableTranscribing: 'Whether captions are generated from the speech of uploads. Default false.',
    EnableTranscribingTitleGeneration: `Whether a title is generated from speech. ${UPLOADS} Default: no.`,
    EnableTranscribingDescriptionGeneration: `Whether a description is generated from speech. ${UPLOADS} Default: no.`,
    EnableTranscribingChaptersGeneration: `Whether chapters are generated from speech. ${UPLOADS} Default: no.`,
    EnableTranscribingMomentsGeneration: `Whether moments are generated from speech. ${UPLOADS} Default: no.`,
    TranscribingCaptionLanguages: 'Language codes of generated captions, such as `en` or `pt-BR`. Empty: as spoken.',
    EnableCaptionsInPlaylist: 'Whether playlists list captions, for players other than the built-in one. Default true.',
    RememberPlayerPosition: 'Whether the player resumes where the viewer stopped. Default false.',
    EnableMultiAudioTrackSupport: 'Whether all audio tracks of a file are encoded, not only the first. Default true.',
    UseSeparateAudioStream: 'Stored and returned without effect: audio is always a separate stream.',
    JitEncodingEnabled:
      'Whether segments are encoded when a viewer requests them. Requires `EncodingTier` 1. Default false.',
    EncodingTier: 'Tier of the encoder. 0 permits only H.264 and no encoding on demand. Default 1.',
    OutputCodecs: `Comma-separated codecs to encode: ${CODECS}. Default \`x264\`.`,
    DrmBasePriceOverride: 'Always null: nothing is charged.',
    DrmCostPerLicenseOverride: 'Always null: nothing is charged.',
    TranscribingPriceOverride: 'Always null: nothing is charged.',
    PremiumEncodingPriceOverride: 'Always null: nothing is charged.',
    MonthlyChargesTranscribing: 'Always 0: nothing is charged.',
    MonthlyChargesPremiumEncoding: 'Always 0: nothing is charged.',
    MonthlyChargesEnterpriseDrm: 'Always 0: nothing is charged.',
    FeatureFlags: 'Always null: all features are available.',
    PlayerVersion: 'Stored and returned without effect: there is one player. Default 2.',
    RemoveMetadataFromFallbackVideos:
      'Stored and returned without effect: MP4 files never contain metadata of the source.',
    ScaleVideoUsingBothDimensions: 'Stored and returned without effect: a resolution always limits width and height.',
    ExposeOriginals: 'Whether viewers may download the uploaded file of a finished video. Default false.',
    ExposeVideoMetadata: 'Stored and passed on in play data. Default false.',
    EnableCompactControls: 'Whether the player shows compact controls. Default false.',
    ResetToken:
      'If true, generates a new security key for the pull zone. All URL and embed tokens signed with the old key ' +
      'become invalid.',
    ...bitrates({ 240: 600, 360: 800, 480: 1400, 720: 2800, 1080: 5000, 1440: 8000, 2160: 25_000 }),
  },
  AppleFairPlayDrm: {
    Enabled: 'Whether FairPlay is offered to players. Default false.',
    CertificateId: 'Stored and returned without effect. `MILLRACE_FAIRPLAY_CERTIFICATE` sets the certificate.',
    CertificateExpirationDate: 'Always null.',
    Provider: 'Stored and returned without effect. The settings of the service name the licence server.',
  },
  GoogleWidevineDrm: {
    Enabled: 'Whether Widevine is offered to players. Default false.',
    CertificateId: 'Stored and returned without effect. The settings of the service name the licence server.',
    CertificateExpirationDate: 'Always null.',
    Provider: 'Stored and returned without effect. The settings of the service name the licence server.',
    SdOnlyForL3: 'Passed on in play data. The licence server must refuse HD keys to L3 clients. Default false.',
    MinClientSecurityLevel: 'Passed on in play data. The licence server must enforce it. Null for no minimum.',
  },
  VideoLanguage: {
    ShortCode: 'Language code, two letters (ISO 639-1).',
    Name: 'English name of the language.',
    SupportPlayerTranslation: 'Whether the player has texts in this language.',
    SupportTranscribing: 'Whether the configured speech engine transcribes this language.',
    TranscribingAccuracy: 'Always 0: not measured.',
  },
  ReferrerModel: {
    Hostname: 'Host name without a scheme, such as `example.com`, or `*.example.com` for its subdomains.',
  },
  AccessKeyModel: {
    Id: 'Id of the key, used to revoke it. Not secret.',
    Label: 'Name that the owner gave to the key, at most 200 characters. Empty by default.',
    Scope: 'Permitted requests: `read` for GET only, `write` for all.',
    DateCreated: 'Time of creation.',
    DateExpires: 'Time from which the key is refused; null if it does not expire.',
    DateLastUsed: 'Approximate time of the last request with the key; null if there was none.',
    Key: 'Text of the key for the `AccessKey` header. Returned only once.',
    ExpiresInSec: 'Lifetime in seconds. Without it, the key is valid until it is revoked.',
  },
  PersonModel: {
    Id: 'Id of the person.',
    Email: 'E-mail address with which the person signs in. Upper and lower case are equal.',
    Name: 'Name of the person, at most 200 characters. Empty by default.',
    Status: 'State: `invited` until the person chooses a password, then `active`, or `disabled`.',
    Role: 'Role in the account, which applies to all libraries; null: only the roles in `LibraryRoles`.',
    LibraryRoles: 'Roles in single libraries. A list replaces the previous one.',
    LibraryId: 'Id of the library.',
    HasTotp: 'True if sign-in needs a code of an authenticator app.',
    DateCreated: 'Time of the first invitation.',
    DateLastSeen: 'Approximate time of the last request; null if there was none.',
    Link: 'Link at which the person chooses a password, once and within a week. Returned only once.',
  },
  SignInProviderModel: {
    Id: 'Id of the provider.',
    Name: 'Name on the button of the sign-in screen, at most 100 characters.',
    Issuer: 'URL of the issuer, whose `.well-known/openid-configuration` describes the provider. Needs https.',
    ClientId: 'Client id that the provider gave to this installation.',
    ClientSecret: 'Client secret, stored encrypted and never returned. Null: a public client, with PKCE only.',
    HasClientSecret: 'True if a client secret is stored.',
    Scopes: 'Requested scopes, separated by spaces. `openid email profile` by default.',
    EmailDomains: 'Domains of the accepted e-mail addresses. Empty: all.',
    TrustsEmail:
      'True if an address counts as verified without the claim `email_verified`. Only for providers that set all ' +
      'addresses themselves.',
    DefaultRole: 'Role in the account of people without an invitation. Null: people need an invitation or a group.',
    GroupClaim: 'Name of the claim that contains the groups. Null: groups are ignored.',
    GroupRoles: 'Roles of the members of groups. The highest of several roles applies.',
    Group: 'Name of the group, exactly as in the claim.',
    Role: 'Role of the members of the group.',
    LibraryId: 'Library to which the role applies. Null or absent: the account.',
    CallbackUrl: 'Redirect URI to register at the provider. If `MILLRACE_PUBLIC_URL` is not set, it is only the path.',
    LogoutUrl: 'Back-channel logout URI to register at the provider, so that it can end sessions.',
    DateCreated: 'Time of creation.',
  },
  PersonSessionModel: {
    Id: 'Id of the session. Not secret.',
    Device: 'Browser and operating system.',
    Address: 'Client address at the sign-in.',
    DateCreated: 'Time of the sign-in.',
    DateLastUsed: 'Approximate time of the last request.',
    DateExpires: 'Time at which the session ends.',
  },
  AccountAuditLineModel: {
    Id: 'Number of the entry. Later entries have higher numbers.',
    Date: 'Time of the request.',
    Key: 'Name of the key that was used, or id and e-mail address of the person.',
    Scope: 'Scope of the key that was used, or role of the person.',
    LibraryId: 'Library that was changed; null for the account.',
    Object: 'Title or name of the changed object; null if it has none or no longer exists.',
    ObjectKind: '`video`, `stream`, `collection`, `endpoint`, `key` or `person`; null without `Object`.',
    ObjectId: 'GUID of the changed object; null without `Object`.',
    Operation:
      'Name of the operation, as `operationId` in this document, or of an action in the dashboard, such as `signIn`.',
    Targets:
      'Ids of the objects in the path, by parameter. `requestId` is an id that the caller sent and that is not a GUID.',
    Status: 'HTTP status of the response.',
    RequestId:
      'Id of the request, as in the header `X-Request-Id` and the log, or a GUID derived from an id that is not one.',
    Ip: 'IP address of the client.',
    Hash: 'Hexadecimal hash of this entry and the previous one of the same UTC day. It reveals changed entries.',
    Changes:
      'Changed fields, at most 50. If there are more, the last one is `…`. Empty for entries of earlier versions.',
  },
  AuditChangeModel: {
    Field: 'Name of the field, as in the model of the object.',
    Old: 'Value before the change, shortened to 200 characters, without secrets; null for none.',
    New: 'Value after the change, shortened to 200 characters, without secrets; null for none.',
  },
  AuditLineModel: {
    Id: 'Number of the entry. Later entries have higher numbers.',
    Date: 'Time of the request.',
    Key: 'Name of the key that was used, or id and e-mail address of the person.',
    Who: 'Name of the person, or label of the key. Empty if it no longer exists.',
    WhoKind: '`person` or `key`.',
    Object: 'Title or name of the changed object; null if it has none or no longer exists.',
    ObjectKind: '`video`, `stream`, `collection`, `endpoint`, `key` or `person`; null without `Object`.',
    ObjectId: 'GUID of the changed object; null without `Object`.',
    Scope: 'Scope of the key that was used, or role of the person.',
    Operation: 'Name of the operation, as `operationId` in this document.',
    Targets:
      'Ids of the objects in the path, by parameter. `requestId` is an id that the caller sent and that is not a GUID.',
    Status: 'HTTP status of the response.',
    RequestId:
      'Id of the request, as in the header `X-Request-Id` and the log, or a GUID derived from an id that is not one.',
    Ip: 'IP address of the client.',
    Hash: 'Hexadecimal hash of this entry and the previous one of the same UTC day. It reveals changed entries.',
    Changes:
      'Changed fields, at most 50. If there are more, the last one is `…`. Empty for entries of earlier versions.',
  },
  LibrarySoundModel: {
    NormaliseLoudness: 'Whether each audio track gets a constant gain that brings it to `LoudnessTarget`.',
    LoudnessTarget: 'Loudness of normalised audio in LUFS (EBU R 128), -31 to -10.',
    SurroundAudio: 'Whether tracks of five or more channels are also encoded in 5.1. Players start with stereo.',
  },
};

function bitrates(kbps: Readonly<Record<number, number>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(kbps).map(([rung, rate]) => [
      `Bitrate${rung}p`,
      `Maximum bitrate of video at ${rung}p in kbit/s. 0 means the default, ${rate}.`,
    ]),
  );
}
