/**
 * Settings that are stored and returned because clients of the API send them, but that have no effect. Maps the name on
 * the wire to the stored setting and the reason.
 */
export const STORED_ONLY: Readonly<Record<string, { setting: string; reason: string }>> = {
  ScaleVideoUsingBothDimensions: {
    setting: 'scaleByBothDimensions',
    reason: 'A resolution always limits both width and height.',
  },
  UseSeparateAudioStream: { setting: 'separateAudio', reason: 'Audio is always a separate stream.' },
  RemoveMetadataFromFallbackVideos: {
    setting: 'removeMetadata',
    reason: 'MP4 files are assembled from encoded segments and never contain metadata of the source.',
  },
  EnableContentTagging: { setting: 'contentTagging', reason: 'Content tagging is not available.' },
  PlayerVersion: { setting: 'version', reason: 'There is only one player.' },
  ReplicationRegions: { setting: 'replicationRegions', reason: 'There is only one object store.' },
  'AppleFairPlayDrm.CertificateId': {
    setting: 'certificateId',
    reason: 'The certificate is configured for all libraries by `MILLRACE_FAIRPLAY_CERTIFICATE`.',
  },
  'AppleFairPlayDrm.Provider': {
    setting: 'provider',
    reason: 'Licence servers are configured for all libraries, see [settings](settings.md).',
  },
  'GoogleWidevineDrm.CertificateId': {
    setting: 'certificateId',
    reason: 'Licence servers are configured for all libraries, see [settings](settings.md).',
  },
  'GoogleWidevineDrm.Provider': {
    setting: 'provider',
    reason: 'Licence servers are configured for all libraries, see [settings](settings.md).',
  },
  'GoogleWidevineDrm.SdOnlyForL3': {
    setting: 'sdOnlyForL3',
    reason: 'Play data contains it for players. The licence server has to enforce it.',
  },
  'GoogleWidevineDrm.MinClientSecurityLevel': {
    setting: 'minClientSecurityLevel',
    reason: 'Play data contains it for players. The licence server has to enforce it.',
  },
  ViAiPublisherId: {
    setting: 'viAiPublisherId',
    reason: 'Play data contains it for players. The built-in player shows no ads.',
  },
  ExposeVideoMetadata: { setting: 'exposeVideoMetadata', reason: 'Play data contains it for players.' },
  IgnoreQueryStrings: {
    setting: 'ignoresQuery',
    reason: 'The edge ignores query strings other than tokens.',
  },
  UseStaleWhileUpdating: { setting: 'staleWhileUpdating', reason: 'The edge is the origin and fetches nothing.' },
  OriginRetries: { setting: 'originRetries', reason: 'The edge is the origin and fetches nothing.' },
};
