/** Properties of an error: its HTTP status, a default sentence for people, and its causes. */
export type ErrorFacts = { readonly status: number; readonly sentence: string; readonly cause: string };

/**
 * Refusals of the JSON interface, of uploads and of publishers, by kind. The status applies unless an operation defines
 * another. The message of a response is more specific than this sentence.
 */
export const REFUSALS = {
  invalid: {
    status: 400,
    sentence: 'The request is not valid, or not possible in the current state of the resource.',
    cause:
      'a field is missing or has an unexpected type or value, or the state of the resource does not permit the request',
  },
  unauthenticated: {
    status: 401,
    sentence: 'The key or signature is missing or wrong.',
    cause: 'no AccessKey, a revoked or expired one, one of another library, or an expired signature',
  },
  forbidden: {
    status: 403,
    sentence: 'The key does not permit this operation.',
    cause: 'a read-only key, a page that the referrer rules do not allow, or a missing token',
  },
  'quota-reached': {
    status: 403,
    sentence: 'The library has reached a hard limit of its quotas.',
    cause: 'too much storage, too many live streams, or another used-up limit; the message has the use and the limit',
  },
  'not-found': { status: 404, sentence: 'The resource does not exist.', cause: 'a wrong id, or a deleted resource' },
  timeout: {
    status: 408,
    sentence: 'The request took too long to arrive.',
    cause: 'a client that stopped sending, or an origin that did not respond in time',
  },
  conflict: {
    status: 409,
    sentence: 'The request conflicts with another one, or with the current state.',
    cause: 'two uploads to one video, an offset that differs from the stored one, or a name that is already in use',
  },
  'too-large': { status: 413, sentence: 'The body is larger than the limit.', cause: 'a body over the limit' },
  range: { status: 416, sentence: 'The range is past the end of the file.', cause: 'a `Range` beyond its size' },
  unprocessable: {
    status: 422,
    sentence: 'The values are well-formed, but cannot be used.',
    cause: 'unusable captions, watermarks or parts of videos',
  },
  busy: {
    status: 429,
    sentence: 'Too many requests or uploads at the same time.',
    cause: 'too many requests, uploads or wrong keys from one address or key; wait for the seconds in Retry-After',
  },
  'not-implemented': {
    status: 501,
    sentence: 'This version does not implement the operation.',
    cause: 'an operation of the hosted service that is not implemented',
  },
  unavailable: {
    status: 503,
    sentence: 'Something that the service depends on is unavailable.',
    cause: 'an unreachable database or object store, or no running worker; wait for the seconds in Retry-After',
  },
  'disk-full': {
    status: 507,
    sentence: 'There is not enough disk space.',
    cause: 'a full disk, or an upload that would leave less than 5 GB or 5 % of the disk free, whichever is more',
  },
} as const satisfies Record<string, ErrorFacts>;

/** Kinds of refusals. Only the outer interfaces map a kind to their own status and body. */
export type RefusalKind = keyof typeof REFUSALS;

const absent = (sentence: string, cause: string) => ({ status: 404, sentence, cause }) as const;
const denied = (sentence: string, cause: string) => ({ status: 403, sentence, cause }) as const;

/** Errors of the edge, by the stable code in `error` of its JSON. */
export const EDGE_ERRORS = {
  'not-found': absent('Nothing was found at this URL.', 'a wrong URL, or a video that does not exist'),
  'unknown-video': absent('The video does not exist.', 'a wrong id, or a video that was deleted'),
  'unknown-rendition': absent('The rendition does not exist.', 'a playlist loaded before a re-encode; load it again'),
  'unknown-segment': absent('The segment does not exist.', 'a number beyond the end, or outside the DVR window'),
  'unknown-part': absent(
    'The part does not exist.',
    'a part that is no longer in the playlist; a play session has no parts',
  ),
  'unknown-i-frame': absent(
    'No I-frame starts at this byte range.',
    'a byte range that the I-frame playlist does not list',
  ),
  'no-i-frames': absent('The rendition has no I-frames.', 'an audio rendition, or an incomplete one'),
  'unknown-picture': absent('The image does not exist.', 'an image that does not exist or is not ready yet'),
  'unknown-captions': absent('There are no captions in this language.', 'a language without captions'),
  'unknown-package': absent('The video has no such package.', 'a URL from before a change of the content keys'),
  'unknown-key': absent('The video has no such key.', 'a URL from before a change of the content keys'),
  'no-mp4': absent('There is no MP4 file of this height.', 'downloads are disabled, or the rendition is not complete'),
  'no-original': absent('The original is not available.', 'direct files are disabled, or the original was deleted'),
  'no-licences': absent('No licence server is set up for this DRM system.', 'a DRM system without a licence server'),
  'no-certificate': absent('No FairPlay certificate is set up.', 'FairPlay is not configured'),
  'not-playable': absent('The video cannot be played yet.', 'no segment is encoded or received yet'),
  'not-whole': absent(
    'The video is not complete yet; its HLS playlist may be available.',
    'DASH requires the complete timeline',
  ),
  'not-started': absent('The stream has not started yet.', 'no publisher, a preview, or missing content keys'),
  'no-media': absent('Nothing was published in this time range.', 'a period without a publisher'),
  'hls-only': absent('Basic DRM supports HLS only: play playlist.m3u8.', 'a DASH manifest of a video with Basic DRM'),
  'post-only': absent('This URL accepts only POST.', 'a GET request to the URL of beacons or licences'),
  protected: absent('This video is delivered only encrypted.', 'an unencrypted segment of a video with DRM'),
  'session-over': denied(
    'The play session has expired, or belongs to another video: load playlist.m3u8 again.',
    'a play session of another video, or an expired one',
  ),
  'library-gone': denied('The library of this video was deleted.', 'a deleted library'),
  'token-denied': denied(
    'The token is missing or wrong.',
    'token rules of the pull zone or library (rules 10100 to 10110, 10131)',
  ),
  'country-denied': denied('This country is not allowed.', 'country rules of the pull zone or token (rule 10120)'),
  'referrer-denied': denied('This page is not allowed.', 'referrer rules of the pull zone or library (rule 10130)'),
  'direct-play-denied': denied(
    'The videos of this library play only in pages of their owner.',
    'a player page that was opened directly (rule 10132)',
  ),
  'viewer-denied': denied(
    'The owner of this video does not allow you to watch it.',
    'the endpoint of the owner, or a viewer token that is missing, expired or for another video (rule 10133)',
  ),
  'viewer-unchecked': {
    status: 503,
    sentence: 'The site of the owner could not confirm that you may watch.',
    cause: 'an endpoint or key set of the owner that does not respond; see the event log (rule 10134)',
  },
  'address-blocked': denied('This address is blocked.', 'the block list of the pull zone (rule 10160)'),
  'root-blocked': denied('The root path is blocked.', 'a setting of the pull zone (rule 10161)'),
  'post-blocked': denied('POST is blocked.', 'a setting of the pull zone (rule 10162)'),
  'quota-viewers': denied(
    'This video is not available at the moment: the library has reached its limit.',
    'a new viewer of a library that has reached its limit of concurrent viewers (rule 10200)',
  ),
  'quota-bandwidth': denied(
    'This video is not available at the moment: the library has reached its limit.',
    'a library that has reached its limit of bytes for this month (rule 10201)',
  ),
  bot: denied('Automated clients are not allowed.', 'a setting of the pull zone (rule 10170)'),
  firewall: denied('The firewall refused the request.', 'a rule of the OWASP core rule set (rules 9xxxxx)'),
  forbidden: denied('This is not allowed.', 'see `forbidden` above'),
  'no-clock': {
    status: 400,
    sentence: 'Only live streams and their recordings support from and to.',
    cause: '`from` or `to` for an uploaded video',
  },
  'too-many-requests': {
    status: 429,
    sentence: 'Too many requests.',
    cause: 'the request rate of one address (rule 10140)',
  },
  'too-many-connections': {
    status: 429,
    sentence: 'Too many simultaneous responses.',
    cause: 'too many connections of one address (rule 10150)',
  },
  invalid: {
    status: 400,
    sentence: 'The request is not valid.',
    cause: 'an invalid query of a live playlist, or an invalid beacon',
  },
  'invalid-name': { status: 400, sentence: 'The name is not accepted.', cause: 'a comment with an unusable name' },
  malformed: {
    status: 400,
    sentence: 'The request is malformed.',
    cause: 'dot segments, double encoding or a repeated parameter (rule 10180)',
  },
  'several-hosts': {
    status: 400,
    sentence: 'Expected one Host header, got several.',
    cause: 'a possible request smuggling attempt (rule 10184)',
  },
  'ambiguous-length': {
    status: 400,
    sentence: 'The length of the request is ambiguous.',
    cause: 'a possible request smuggling attempt (rule 10183)',
  },
  unreadable: {
    status: 400,
    sentence: 'The request is malformed.',
    cause: 'invalid HTTP; 408 if it was too slow, 431 if it was too long',
  },
  'too-slow': {
    status: 408,
    sentence: 'The request or its response was too slow.',
    cause: 'a slow client (rules 10182, 10186)',
  },
  'headers-too-large': {
    status: 431,
    sentence: 'The request headers are too large.',
    cause: 'headers over 16 KiB (rule 10181)',
  },
  'field-too-long': {
    status: 400,
    sentence: 'A field is too long for the firewall to inspect.',
    cause: 'a long field; the request is logged, not refused (rule 10190)',
  },
  'method-not-allowed': {
    status: 405,
    sentence: 'Only GET, HEAD and OPTIONS are supported, and POST for beacons and licences.',
    cause: 'an unsupported method',
  },
  changed: {
    status: 412,
    sentence: 'The content has changed: If-Match or If-Unmodified-Since names an earlier version.',
    cause: 'the content was replaced between two requests',
  },
  'too-large': {
    status: 413,
    sentence: 'The body is larger than the limit.',
    cause: 'a beacon or licence request over its limit',
  },
  internal: {
    status: 500,
    sentence: 'The request failed with an internal error. The log has the reason.',
    cause: 'an internal error',
  },
  unavailable: {
    status: 503,
    sentence: 'The content is unavailable now.',
    cause:
      'a segment that is still being encoded, unreachable storage, or too many waiting requests from one address; ' +
      'wait for the seconds in Retry-After',
  },
} as const satisfies Record<string, ErrorFacts>;

export type EdgeErrorCode = keyof typeof EDGE_ERRORS;

/**
 * Reasons why a file cannot become a video, by the `value` of its message. `issueCode` is the code in the API,
 * `sentence` the explanation for its owner, and `isFinal` is true if the same file fails every time.
 */
export const SOURCE_FAULTS = {
  'empty-file': { issueCode: 7, cause: 'an empty file', sentence: 'The file is empty.', isFinal: true },
  'not-media': {
    issueCode: 7,
    cause: 'a text file, an image, an archive or a playlist',
    sentence: 'The file is not a video or audio file.',
    isFinal: true,
  },
  truncated: {
    issueCode: 7,
    cause: 'a truncated file: more than a tenth is missing',
    sentence: 'More than a tenth of the file is missing.',
    isFinal: true,
  },
  'too-many-streams': {
    issueCode: 7,
    cause: 'too many tracks',
    sentence: 'The file has too many tracks.',
    isFinal: true,
  },
  'frame-too-large': {
    issueCode: 3,
    cause: 'frames larger than the decoding limit',
    sentence: 'The picture of the file is larger than the limit.',
    isFinal: true,
  },
  'no-playable-stream': {
    issueCode: 7,
    cause: 'neither video nor audio',
    sentence: 'The file contains neither video nor audio.',
    isFinal: true,
  },
  undecodable: {
    issueCode: 7,
    cause: 'a codec or profile that ffmpeg cannot decode',
    sentence: 'The codec of the file is not supported.',
    isFinal: true,
  },
  'too-long': {
    issueCode: 5,
    cause: 'a timeline longer than the encoding limit',
    sentence: 'The file is longer than the limit.',
    isFinal: true,
  },
  'probe-timeout': {
    issueCode: 0,
    cause: 'probing exceeded the time limit',
    sentence: 'Reading the file took too long.',
    isFinal: false,
  },
  'out-of-memory': {
    issueCode: 0,
    cause: 'probing exceeded the memory limit',
    sentence: 'Reading the file took too much memory.',
    isFinal: false,
  },
} as const;

export type SourceFaultKind = keyof typeof SOURCE_FAULTS;
