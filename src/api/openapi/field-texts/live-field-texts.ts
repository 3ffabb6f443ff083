import type { FieldTexts } from './field-texts.ts';

/** Descriptions of the fields of live streams and of play data. */
export const LIVE_FIELD_TEXTS: FieldTexts = {
  LiveStreamModel: {
    guid: 'GUID of the live stream. Its recording is the video with the same GUID.',
    title: 'Title of the stream, at most 1000 characters. Default `Live stream`.',
    description: 'Description for viewers; null for none.',
    category: 'Always null: content tagging is not available.',
    collectionId: 'GUID of the collection of the stream and of its recording; null for none.',
    public:
      'If false, the stream is private: its player page and play data need an embed token and its files a signed ' +
      'URL, even if the library requires none. Its recording becomes a private video. Default true.',
    status: 'State of the stream.',
    publisherState:
      'State of its publishers: `none` before the first media, `live`, or `away` if none has sent media for 5 s.',
    dateCreated: 'Time of creation.',
    scheduledStartTime:
      'Announced start, to which the player counts down; null for none. Without a zone, it is UTC. A publisher that ' +
      'connects at this time or later starts the stream.',
    scheduledEndTime: 'Announced end, after the start; null for none. Without a zone, it is UTC.',
    startedAt: 'Time of the start; null before it.',
    endedAt: 'Time of the end; null before it.',
    durationSeconds:
      'Whole seconds from the start until now or, once it has ended, the length of the recording. Without a ' +
      'recording, the seconds from the start to the end. Null before the start.',
    streamKey: 'Key that publishers send. A read-only key sees it masked.',
    playbackUrlHls: 'URL of the HLS playlist, with a token if the pull zone requires one.',
    dvrEnabled: 'Whether viewers can seek back while the stream runs. The stream is also recorded. Default false.',
    dvrWindowSeconds:
      'Seconds that viewers can seek back, 1 to 43200. Required if `dvrEnabled` is true; otherwise null.',
    recordVod: 'Whether the stream becomes a video when it ends. Default false.',
    availableResolutions:
      'Comma-separated resolutions of the library when the stream was created, such as `720p,360p`.',
    width: 'Width of the picture of the publisher in pixels; null before it is known.',
    height: 'Height of the picture of the publisher in pixels; null before it is known.',
    framerate: 'Frame rate of the publisher in frames per second; null before it is known.',
    ingestRegion: 'Always `local`.',
    peakConcurrentViewers: 'Highest number of simultaneous viewers.',
    totalViewerSeconds: 'Seconds watched by all viewers together.',
    thumbnailFileName: 'File name of the thumbnail; null while there is none.',
    thumbnailUpdatedAt: 'Time of the last change of the thumbnail; null while there is none.',
    enableCountdown: 'Whether the player counts down to `scheduledStartTime`; null means yes.',
    rtmpOutputs:
      'Other servers to which the stream is relayed over RTMP: at most 5 URLs with their keys, or at most 4 objects. ' +
      'A read-only key sees the keys masked. Null for none.',
    preStreamTrailerVideoId: 'GUID of a video that the player shows before the start; null for none.',
    ingestEndpoints: 'URLs for publishers; null in play data.',
  },
  rtmpOutputs: {
    endpoint: 'URL of the server, beginning with `rtmp://` or `rtmps://`.',
    streamKey: 'Stream key at that server; null or empty for none.',
  },
  IngestEndpoints: {
    rtmp: 'RTMP URLs. The stream key is the name of the stream.',
    rtmps: 'RTMPS URLs. Left out if RTMPS is off.',
    srt: 'SRT URLs. Left out if SRT is off.',
    whip: 'WHIP URLs. Left out if WHIP is off.',
  },
  IngestEndpointsRtmp: {
    primaryIngestUrl: 'URL of the first ingest server; null while none is running.',
    backupIngestUrl: 'URL of the second ingest server, or the first one if there is only one.',
  },
  ThumbnailListResponseModel: {
    url: 'URL of the image, with a token if the pull zone requires one.',
    timestamp: 'Time of the picture in UTC, with a final `Z`.',
  },
  LiveStreamStatusModel: {
    readyToStart: 'Whether a publisher is connected to a stream that has not started.',
    primaryLive: 'Whether the primary publisher is connected.',
    backupLive: 'Whether the backup publisher is connected.',
    lastPingAgo: 'Milliseconds since media was last received; null if none was received.',
    duration: 'Whole seconds since the start; null before it.',
    statusTimeUtc: 'Time of this status.',
    transcoding: 'Encoding of smaller resolutions; null before a publisher connected.',
    relays: 'Relays of the primary publisher, in the order of `rtmpOutputs`.',
  },
  LiveTranscodingModel: {
    state:
      '`starting`, `running`, `copy-only` (see `reason`), `idle` (no publisher) or `none` (no smaller resolution is ' +
      'enabled).',
    reason:
      'Reason why nothing is encoded, which media of the publisher is not shown, or why the publisher was refused or ' +
      'disconnected; null if there is none.',
    resolutions: 'Comma-separated resolutions that are encoded, such as `480p,360p`.',
  },
  LiveRelayModel: {
    host: 'Host name of the server.',
    state: '`connecting`, `running` or `failed`.',
    reason: 'Reason of the failure; null while the relay works.',
  },
  LiveEncodingStatisticsModel: {
    hourly: 'Whether the keys of the chart are hours. Otherwise they are days.',
    totalEncodingSeconds: 'Encoded seconds in the period. A second counts once for each resolution.',
    encodingSecondsChart: 'Encoded seconds by UTC hour or day. Zeros are included.',
    encodingSecondsByLiveStream: 'Encoded seconds by GUID of the stream.',
    encodingSecondsByVideoCodec: 'Encoded seconds by codec, such as `x264`.',
    encodingSecondsByResolution: 'Encoded seconds by resolution.',
  },
  VideoPlayDataModel: {
    video: 'The video.',
    liveStream: 'The live stream, without its keys and relays.',
    libraryName: 'Name of the library.',
    captionsPath: 'URL with a final slash. Append `{srclang}.vtt?ver={version}` to load a caption track.',
    seekPath: 'URL without a final slash. Append `/_{n}.jpg` to load a storyboard sheet.',
    thumbnailUrl: 'URL of the thumbnail.',
    fallbackUrl: 'URL of the MP4 file; null if there is none, and for live streams.',
    videoPlaylistUrl: 'URL of the HLS playlist.',
    originalUrl: 'URL of the uploaded file; null if viewers may not load it, and for live streams.',
    previewUrl: 'URL of the animated preview (WebP); null while there is none, and for live streams.',
    controls: 'Comma-separated controls of the player.',
    enableDRM: 'Whether the media is encrypted.',
    drmVersion: 'Kind of encryption: 0 Basic, 1 Enterprise, 2 BasicV2.',
    playerKeyColor: 'CSS colour of the controls.',
    vastTagUrl: 'URL of the VAST tag to play before the video; null for none.',
    viAiPublisherId: '`ViAiPublisherId` of the library; null for none.',
    captionsFontSize: 'Font size of captions in pixels.',
    captionsFontColor: 'CSS colour of the text of captions.',
    captionsBackground: 'CSS colour behind captions.',
    uiLanguage: 'Language code of the player.',
    allowEarlyPlay: 'Whether viewers may play the original file until the video is finished.',
    tokenAuthEnabled: 'Whether the player page and play data require an embed token.',
    enableMP4Fallback: 'Whether the library offers MP4 files. Always false with DRM.',
    showHeatmap: 'Whether the player shows the heatmap.',
    fontFamily: 'CSS font family of the player.',
    playbackSpeeds: 'Comma-separated speeds of the player.',
    widevineMinClientSecurityLevel: 'Minimum Widevine security level; null for no minimum.',
    zoneTier: 'Always 0.',
    rememberPlayerPosition: 'Whether the player resumes where the viewer stopped.',
    customCss: 'Always null.',
    pullZoneId: 'Id of the pull zone that delivers the video.',
    widevineEmeRobustness: 'Always null: no robustness is required.',
    widevineSdOnlyForL3: 'Whether Widevine L3 clients play only SD.',
    maxSoftwareWidevineResolution: 'Always null: no limit.',
    isPlayable: 'Whether the video plays now, from its playlist or its original.',
    isPlaylistPlayable: 'Whether its playlist plays now.',
    preferredPlaybackSource:
      'Source that a player should use: the playlist, the original until the playlist plays, or none.',
    exposeVideoMetadata: '`ExposeVideoMetadata` of the library.',
    enableCompactControls: 'Whether the player shows compact controls.',
    resumePosition: 'Always 0: players store the position themselves.',
    heatmap: 'Heatmap as in VideoHeatmapModel. Only in the response of `getPlayHeatmap`.',
  },
  VideoHeatmapModel: {
    heatmap:
      'Relative number of plays from 0 to 100, by second of the video; a missing second is 0. Null if the library ' +
      'hides heatmaps, and below five visits.',
  },
  VideoOEmbedModel: {
    version: 'Version of oEmbed: `1.0`.',
    title: 'Title of the video.',
    type: 'Always `video`.',
    thumbnail_url: 'URL of the thumbnail; null while there is none.',
    thumbnail_width: 'Width of the thumbnail in pixels; null while there is none.',
    thumbnail_height: 'Height of the thumbnail in pixels; null while there is none.',
    width: 'Width of the player in pixels, within `maxWidth`.',
    height: 'Height of the player in pixels, within `maxHeight`.',
    html: 'HTML that embeds the player.',
    provider_name: 'Always `Millrace`.',
    provider_url: 'Base URL of the edge.',
    thumbnailUrl: 'The same as `thumbnail_url`.',
    thumbnailWidth: 'The same as `thumbnail_width`.',
    thumbnailHeight: 'The same as `thumbnail_height`.',
    providerName: 'The same as `provider_name`.',
    providerUrl: 'The same as `provider_url`.',
  },
  FairPlayRequest: { spc: 'Request of the player (SPC) in base64.' },
  FairPlayLicence: { ckc: 'Licence (CKC) in base64.' },
};
