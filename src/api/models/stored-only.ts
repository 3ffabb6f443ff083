/**
 * Settings that are stored and returned because clients of the interface send them, but that have no effect. Maps the
 * name on the wire to the stored setting and the reason.
 */
export const STORED_ONLY: Readonly<Record<string, { setting: string; reason: string }>> = {
  ScaleVideoUsingBothDimensions: {
    setting: 'scaleByBothDimensions',
    reason: 'Resolutions always bound both sides of the picture.',
  },
  UseSeparateAudioStream: { setting: 'separateAudio', reason: 'Sound is always a stream of its own.' },
  RemoveMetadataFromFallbackVideos: {
    setting: 'removeMetadata',
    reason: 'MP4 files are put together from encoded segments and never have metadata of the source.',
  },
  PlayerVersion: { setting: 'version', reason: 'There is one player.' },
  ReplicationRegions: { setting: 'replicationRegions', reason: 'There is one object store.' },
  'AppleFairPlayDrm.CertificateId': {
    setting: 'certificateId',
    reason: 'The certificate is set for the installation (`MILLRACE_FAIRPLAY_CERTIFICATE`).',
  },
  'AppleFairPlayDrm.Provider': {
    setting: 'provider',
    reason: 'Licence servers are set for the installation.',
  },
  'GoogleWidevineDrm.CertificateId': {
    setting: 'certificateId',
    reason: 'Licence servers are set for the installation.',
  },
  'GoogleWidevineDrm.Provider': {
    setting: 'provider',
    reason: 'Licence servers are set for the installation.',
  },
  'GoogleWidevineDrm.SdOnlyForL3': {
    setting: 'sdOnlyForL3',
    reason: 'Play data has it for players. To enforce it, set it at the licence server.',
  },
  'GoogleWidevineDrm.MinClientSecurityLevel': {
    setting: 'minClientSecurityLevel',
    reason: 'Play data has it for players. To enforce it, set it at the licence server.',
  },
  ViAiPublisherId: { setting: 'viAiPublisherId', reason: 'Play data has it for players; ours shows no such ads.' },
  ExposeVideoMetadata: { setting: 'exposeVideoMetadata', reason: 'Play data has it for players.' },
  IgnoreQueryStrings: {
    setting: 'ignoresQuery',
    reason: 'The edge answers from what it stores; query strings other than tokens never change an answer.',
  },
  UseStaleWhileUpdating: { setting: 'staleWhileUpdating', reason: 'The edge is the origin: nothing is fetched.' },
  OriginRetries: { setting: 'originRetries', reason: 'The edge is the origin: nothing is fetched.' },
};
