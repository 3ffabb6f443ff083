import type { LibrarySoundModel } from '../../../src/api/models/library-sound.ts';
import type { LiveStreamModel } from '../../../src/api/models/live-stream.ts';
import type { PullZoneModel } from '../../../src/api/models/pull-zone.ts';
import type { VideoModel } from '../../../src/api/models/video.ts';
import type { VideoLibraryModel } from '../../../src/api/models/video-library.ts';
import type { ViewerAccessModel } from '../../../src/api/models/viewer-access.ts';
import type { Sentence } from '../base/language.ts';

type Field = keyof (VideoLibraryModel & LibrarySoundModel & PullZoneModel & VideoModel & LiveStreamModel);
type ChatField = 'ChatUrl' | 'ChatEvents' | 'NotifiedInDashboard' | 'NotifiedByEmail';
type AuditedField =
  | Field
  | `ViewerAccess.${keyof ViewerAccessModel}`
  | 'Logo'
  | 'name'
  | 'url'
  | 'enabled'
  | 'events'
  | ChatField;

/**
 * Labels of changed fields in the audit log. They are the labels of the settings that change them. Fields without a
 * label are shown with the words of their names.
 */
export const FIELD_LABELS = {
  Name: 'Name',
  name: 'Name',
  url: 'URL',
  enabled: 'Send events',
  events: 'Events',
  ChatUrl: 'Webhook URL',
  ChatEvents: 'Events',
  NotifiedInDashboard: 'Notifications in the dashboard',
  NotifiedByEmail: 'Notifications by e-mail',
  WebhookUrl: 'URL',
  EnabledResolutions: 'Resolutions',
  OutputCodecs: 'Codecs',
  KeepOriginalFiles: 'Keep original files',
  EnableMP4Fallback: 'Create MP4 files for download',
  JitEncodingEnabled: 'Encode on demand, when viewers watch',
  PerTitleEncoding: 'Per-title encoding: match the bitrate to the content',
  EnableMultiAudioTrackSupport: 'Keep all audio tracks',
  NormaliseLoudness: 'Give all videos the same loudness',
  LoudnessTarget: 'Loudness in LUFS',
  SurroundAudio: 'Keep surround sound',
  EnableTranscribing: 'Transcribe new videos',
  EnableTranscribingTitleGeneration: 'Generate title from speech',
  EnableTranscribingDescriptionGeneration: 'Generate description from speech',
  EnableTranscribingChaptersGeneration: 'Generate chapters from speech',
  EnableTranscribingMomentsGeneration: 'Generate moments from speech',
  TranscribingCaptionLanguages: 'Caption languages',
  WatermarkPositionLeft: 'Left (%)',
  WatermarkPositionTop: 'Top (%)',
  WatermarkWidth: 'Width (%)',
  WatermarkHeight: 'Height (%)',
  HasWatermark: 'Watermark',
  PlayerKeyColor: 'Colour',
  FontFamily: 'Font',
  UILanguage: 'Language',
  PlaybackSpeeds: 'Playback speeds',
  Controls: 'Controls',
  Logo: 'Logo',
  CaptionsFontColor: 'Text colour',
  CaptionsBackground: 'Background',
  CaptionsFontSize: 'Size (px)',
  ShowHeatmap: 'Show the most replayed parts as a heatmap',
  RememberPlayerPosition: 'Resume where the viewer left off',
  EnableCompactControls: 'Compact controls',
  VastTagUrl: 'Pre-roll ad (VAST tag URL)',
  CustomHTML: 'Custom HTML in the head of the player page',
  PlayerTokenAuthenticationEnabled: 'Require signed URLs',
  AllowDirectPlay: 'Allow direct playback outside an embed',
  ExposeOriginals: 'Let viewers download the original file',
  EnableDRM: 'Protect the videos in this library',
  DrmVersion: 'Type',
  'ViewerAccess.mode': 'Who decides',
  'ViewerAccess.url': 'URL of the endpoint',
  'ViewerAccess.cacheSec': 'Seconds for which a decision is valid',
  'ViewerAccess.failOpen': 'Admit viewers while the endpoint does not respond',
  'ViewerAccess.issuer': 'Issuer (iss)',
  'ViewerAccess.audience': 'Audience (aud)',
  'ViewerAccess.jwksUrl': 'URL of the public keys (JWKS)',
  'ViewerAccess.videoClaim': 'Claim with video ids (optional)',
  'ViewerAccess.collectionClaim': 'Claim with collection ids (optional)',
  AllowedReferrers: 'Allowed domains',
  BlockedReferrers: 'Blocked domains',
  BlockedIps: 'Blocked IP addresses',
  BlockedCountries: 'Blocked countries',
  ZoneSecurityEnabled: 'Signed URLs only',
  ZoneSecurityIncludeHashRemoteIP: 'Tokens are valid for one IP address',
  // Settings of the library and of its rules.
  BlockNoneReferrer: 'Block requests without a referrer',
  BlockPostRequests: 'Block POST requests',
  RequestLimit: 'Requests per second per IP address',
  BurstSize: 'Request burst',
  ConnectionLimitPerIPCount: 'Connections per IP address',
  title: 'Title',
  description: 'Description',
  category: 'Category',
  visibility: 'Visibility',
  collectionId: 'Collection',
  chapters: 'Chapters',
  moments: 'Moments',
  enableCountdown: 'Show a countdown',
  recordVod: 'Keep the recording',
  dvrEnabled: 'Viewers can rewind (DVR)',
  scheduledStartTime: 'Scheduled start',
  public: 'Public',
} as const satisfies Partial<Record<AuditedField, Sentence>>;
