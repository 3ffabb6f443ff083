import type { ImportSourceName } from './library-import.ts';

/** Fields of a request for an import that describe the access to its source. */
export type SourceField =
  | 'apiUrl'
  | 'coreUrl'
  | 'accessKey'
  | 'accountKey'
  | 'sourceLibraryId'
  | 'cdnUrl'
  | 'securityKey'
  | 'referrer'
  | 'account'
  | 'secretKey'
  | 'bucket'
  | 'prefix'
  | 'region';

export type SourceFields = {
  /** Name of the service. */
  title: string;
  /** Required fields. A list means that one of its fields is required. */
  needs: readonly (SourceField | readonly SourceField[])[];
  /** Fields that may be sent. */
  takes: readonly SourceField[];
  /** Default URLs of a hosted service. */
  usual: { apiUrl?: string; coreUrl?: string; cdnUrl?: string };
  /** Properties of all videos that are not imported, as sentences. */
  losses: readonly string[];
};

const STATISTICS = 'Statistics by day and heatmaps are not imported.';
const STREAM = ['apiUrl', 'coreUrl', 'accessKey', 'accountKey', 'cdnUrl', 'securityKey', 'referrer'] as const;
const STREAM_LOSSES = [
  'Statistics by country and heatmaps are not imported.',
  'Access keys and people are not imported. Settings, token key and host names need accountKey.',
];

/** Access to the services that the server reads from. */
export const SOURCE_FIELDS: Readonly<Record<Exclude<ImportSourceName, 'upload'>, SourceFields>> = {
  bunny: {
    title: 'bunny Stream',
    needs: ['sourceLibraryId', ['accountKey', 'accessKey']],
    takes: STREAM,
    usual: { apiUrl: 'https://video.bunnycdn.com', coreUrl: 'https://api.bunny.net' },
    losses: [...STREAM_LOSSES, 'Images of the library are not imported.'],
  },
  millrace: {
    title: 'Millrace',
    needs: ['sourceLibraryId', ['accountKey', 'accessKey'], 'apiUrl'],
    takes: STREAM,
    usual: {},
    losses: STREAM_LOSSES,
  },
  s3: {
    title: 'S3',
    needs: ['bucket', 'accessKey', 'secretKey'],
    takes: ['apiUrl', 'prefix', 'region'],
    usual: {},
    losses: [],
  },
  peertube: {
    title: 'PeerTube',
    // A token, or a name and its password.
    needs: ['apiUrl', ['accessKey', 'account'], ['accessKey', 'secretKey']],
    takes: [],
    usual: {},
    losses: [STATISTICS, 'Comments and playlists are not imported. Each channel becomes a collection.'],
  },
  mux: {
    title: 'Mux',
    needs: ['accessKey', 'secretKey'],
    takes: ['apiUrl', 'cdnUrl'],
    usual: { apiUrl: 'https://api.mux.com', cdnUrl: 'https://stream.mux.com' },
    losses: [
      'Mux Data keeps views separately, so they are not imported.',
      'Mux has no descriptions, collections or custom thumbnails.',
    ],
  },
  cloudflare: {
    title: 'Cloudflare Stream',
    needs: ['account', 'accessKey'],
    takes: ['apiUrl'],
    usual: { apiUrl: 'https://api.cloudflare.com/client/v4' },
    losses: [
      'Cloudflare Stream keeps no originals. Its MP4 download is imported.',
      'Views are in a separate API and are not imported.',
    ],
  },
  vimeo: {
    title: 'Vimeo',
    needs: ['accessKey'],
    takes: ['apiUrl'],
    usual: { apiUrl: 'https://api.vimeo.com' },
    losses: [STATISTICS, 'Comments, showcases and player presets are not imported. Each folder becomes a collection.'],
  },
  mediacms: {
    title: 'MediaCMS',
    needs: ['apiUrl', 'accessKey'],
    takes: ['account'],
    usual: {},
    losses: [STATISTICS, 'Comments, ratings and playlists are not imported.'],
  },
};

/** Fields whose values are secrets. */
export const SECRET_FIELDS: ReadonlySet<SourceField> = new Set(['accessKey', 'accountKey', 'secretKey', 'securityKey']);
