import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { guidOfBytes } from '../../src/lib/guid.ts';
import { closeServer, listen } from '../../src/lib/listen.ts';

export const SOURCE_ACCOUNT_KEY = 'source-account-key';
const ZONE_KEY = 'source-zone-key';
const VTT = 'WEBVTT\n\n00:00.000 --> 00:01.000\nImported words\n';

/** Number of the library at the source, from 1. */
export const libraryKey = (library: number) => `source-key-${library}`;
export const scriptedGuid = (name: string) => guidOfBytes(createHash('sha256').update(name).digest());

export type ScriptedVideo = { guid: string; hasFile: boolean; isReachable: boolean; model: Record<string, unknown> };
export type ScriptedStream = {
  url: string;
  /** Paths in the order of their requests. */
  seen: string[];
  videos(library: number): ScriptedVideo[];
  collections(library: number): { guid: string; name: string }[];
  /** Makes the next requests fail with this status. */
  fail(count: number, status: number, headers?: Record<string, string>): void;
  stop(): Promise<void>;
};

export type StreamScript = {
  libraries: number;
  videos: number;
  clip: Buffer;
  image: Buffer;
  pageItems: number;
  /** Segments of the HLS stream of each video. Without them there is none. */
  segments?: Buffer[];
  /** Names of segments whose next response breaks off. */
  breaks?: Set<string>;
};

/**
 * Serves the libraries of an account as the interface describes them: account API, library API in pages, and a pull
 * zone with signed URLs. Every seventh video has no file, and every eleventh has a file that cannot be downloaded.
 */
export async function startScriptedStream(script: StreamScript): Promise<ScriptedStream> {
  const seen: string[] = [];
  const failures: { status: number; headers: Record<string, string> }[] = [];
  const libraries = Array.from({ length: script.libraries }, (_, index) => makeLibrary(index + 1, script));
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://source');
    seen.push(url.pathname);
    const failure = failures.shift();
    if (failure !== undefined) {
      response.writeHead(failure.status, failure.headers).end();
      return;
    }
    if (url.pathname.startsWith('/cdn')) serveCdn({ request, response, url }, { script, libraries });
    else serveApi({ request, response, url }, { script, libraries });
  });
  const url = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`;
  for (const { videos } of libraries) {
    for (const { guid, model } of videos) model.thumbnailUrl = `${url}/cdn/${guid}/${String(model.thumbnailFileName)}`;
  }
  return {
    url,
    seen,
    videos: (library) => libraries[library - 1]?.videos ?? [],
    collections: (library) => libraries[library - 1]?.collections ?? [],
    fail(count, status, headers = {}) {
      for (let index = 0; index < count; index += 1) failures.push({ status, headers });
    },
    stop: () => closeServer(server, 0),
  };
}

type Library = { id: number; collections: { guid: string; name: string }[]; videos: ScriptedVideo[] };

function makeLibrary(id: number, script: StreamScript): Library {
  const collections = ['Films', 'Talks'].map((name) => ({ guid: scriptedGuid(`${id} ${name}`), name }));
  const videos = Array.from({ length: script.videos }, (_, index) => makeVideo(id, index, collections));
  return { id, collections, videos };
}

function makeVideo(library: number, index: number, collections: Library['collections']): ScriptedVideo {
  const guid = scriptedGuid(`video ${library} ${index}`);
  const hasFile = index % 7 !== 6;
  const keepsOriginal = index % 3 !== 2;
  const model = {
    videoLibraryId: library,
    guid,
    title: `Video ${index}`,
    description: `About ${index}`,
    category: 'lecture',
    dateUploaded: new Date(Date.UTC(2024, 0, 1 + index, 10)).toISOString().slice(0, -1),
    views: 100 + index,
    isPublic: index % 2 === 0,
    length: 2,
    status: hasFile ? 4 : 0,
    availableResolutions: '240p,360p',
    storageSize: 5_000,
    captions: index % 5 === 0 ? [{ srclang: 'en', label: 'English words', version: 1 }] : [],
    hasMP4Fallback: true,
    hasOriginal: keepsOriginal,
    collectionId: collections[index % 3]?.guid ?? '',
    thumbnailFileName: index % 5 === 1 ? 'thumbnail_0a1b2c3d.jpg' : 'thumbnail.jpg',
    thumbnailUrl: '',
    totalWatchTime: 1_000 + index,
    chapters: [{ title: 'Start', start: 0, end: 1 }],
    moments: [{ label: 'Here', timestamp: 1 }],
    metaTags: [{ property: 'number', value: String(index) }],
  };
  return { guid, hasFile, isReachable: index % 11 !== 10, model };
}

/** Settings of each library, in the published form. One has a wrong type, one is unknown here. */
const LIBRARY = {
  PullZoneId: 7,
  PlayerKeyColor: '#112233',
  UILanguage: 'fr',
  EnableMP4Fallback: true,
  WebhookUrl: 'https://hooks.example.com/source',
  PlaybackSpeeds: { fast: true },
  VideoCount: 12,
  AllowedReferrers: ['*.example.com'],
};
const ZONE = {
  Id: 7,
  ZoneSecurityEnabled: true,
  ZoneSecurityKey: ZONE_KEY,
  AllowedReferrers: ['*.example.com'],
  BlockedIps: ['192.0.2.1'],
  OriginUrl: 'https://storage.example.com',
};

/** Charts whose first day has all views but one. */
function chartsOf({ dateUploaded, views, totalWatchTime }: Record<string, unknown>) {
  const day = Date.parse(`${String(dateUploaded).slice(0, 10)}T00:00:00Z`);
  const at = (days: number) => `${new Date(day + days * 86_400_000).toISOString().slice(0, 19)}Z`;
  const chart = (all: number) => ({ [at(0)]: all - 1, [at(1)]: 0, [at(2)]: 1 });
  return { viewsChart: chart(Number(views)), watchTimeChart: chart(Number(totalWatchTime)), engagementScore: 5 };
}

type Call = { request: IncomingMessage; response: ServerResponse; url: URL };
type World = { script: StreamScript; libraries: Library[] };

function serveApi({ request, response, url }: Call, { script, libraries }: World): void {
  const key = request.headers.accesskey;
  const send = (body: unknown) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  const [, core = '', id = '', list = ''] = url.pathname.split('/');
  const library = libraries[Number(id) - 1];
  if (core !== 'library' && key === SOURCE_ACCOUNT_KEY) {
    if (core === 'videolibrary')
      return void send({ ...LIBRARY, Id: Number(id), Name: `Library ${id}`, ApiKey: libraryKey(Number(id)) });
    const more = script.breaks?.has('host names') === true ? 200 : 0;
    const names = [
      { Value: 'no-name', IsSystemHostname: true },
      { Value: `films-${id}.example.com` },
      ...Array.from({ length: more }, (_, index) => ({ Value: `films-${id}-${index}.example.com` })),
    ];
    return void send({ ...ZONE, Hostnames: names });
  }
  if (library === undefined || key !== libraryKey(Number(id))) return void response.writeHead(401).end();
  if (list === 'statistics') {
    const found = library.videos.find(({ guid }) => guid === url.searchParams.get('videoGuid'));
    return void send(chartsOf(found?.model ?? {}));
  }
  const all: unknown[] = list === 'collections' ? library.collections : library.videos.map(({ model }) => model);
  const page = Number(url.searchParams.get('page'));
  const itemsPerPage = Math.min(script.pageItems, Number(url.searchParams.get('itemsPerPage')));
  const items = all.slice((page - 1) * itemsPerPage, page * itemsPerPage);
  send({ totalItems: all.length, currentPage: page, itemsPerPage, items });
}

function serveCdn({ request, response, url }: Call, { script, libraries }: World): void {
  const isReferred = request.headers.referer === 'https://www.example.com/';
  const [, folderToken = null, path = ''] = /^\/cdn\/(bcdn_token=[^/]*)(\/.*)$/.exec(url.pathname) ?? [];
  const isAllowed = isReferred && (folderToken === null ? isSigned(url) : isFolderSigned(folderToken, path));
  const [, , guid = '', file = '', part = ''] = (folderToken === null ? url.pathname : `/cdn${path}`).split('/');
  const video = libraries.flatMap(({ videos }) => videos).find((each) => each.guid === guid);
  if (!isAllowed) return void response.writeHead(403).end();
  const isKept = file !== 'original' || video?.model.hasOriginal === true;
  if (video === undefined || !video.hasFile || !isKept) return void response.writeHead(404).end();
  if (file === 'captions') return void response.end(VTT);
  if (file.startsWith('thumbnail')) return void response.end(script.image);
  if (!video.isReachable) return void response.writeHead(404).end();
  if (folderToken !== null) return void sendStream(response, `${file}/${part}`, script);
  if (file.startsWith('play_') && video.model.hasMP4Fallback !== true) return void response.writeHead(404).end();
  sendRange({ request, response }, script.clip);
}

/** Verifies a file token as section 6.4 of the wire facts describes it. */
function isSigned({ pathname, searchParams }: URL): boolean {
  const expires = searchParams.get('expires') ?? '';
  const message = `${pathname.slice('/cdn'.length)}${expires}`;
  const signature = createHmac('sha256', ZONE_KEY).update(message).digest('base64url');
  return searchParams.get('token') === `HS256-${signature}` && Number(expires) * 1000 > Date.now();
}

/** Verifies a folder token as the documentation of the hosted service describes it. */
function isFolderSigned(token: string, path: string): boolean {
  const {
    bcdn_token: signature,
    token_path: folder = '',
    expires = '',
  } = Object.fromEntries(new URLSearchParams(token));
  const message = `${folder}${expires}token_path=${folder}`;
  const expected = createHmac('sha256', ZONE_KEY).update(message).digest('base64url');
  return signature === `HS256-${expected}` && path.startsWith(folder) && Number(expires) * 1000 > Date.now();
}

function sendStream(response: ServerResponse, file: string, { segments = [], breaks }: StreamScript): void {
  if (file === 'playlist.m3u8/') {
    const variant = (rate: number, name: string) => `#EXT-X-STREAM-INF:BANDWIDTH=${rate}\n${name}/video.m3u8\n`;
    return void response.end(`#EXTM3U\n${variant(9, '240p')}${variant(90, '360p')}`);
  }
  if (file === '360p/video.m3u8') {
    const parts = segments.map((_, index) => `#EXTINF:1,\n${index}.ts\n`);
    const key = breaks?.has('encrypted') === true ? '#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://key"\n' : '';
    return void response.end(`#EXTM3U\n#EXT-X-TARGETDURATION:1\n${key}${parts.join('')}#EXT-X-ENDLIST\n`);
  }
  const segment = segments[Number.parseInt(file.slice('360p/'.length), 10)];
  if (segment === undefined) return void response.writeHead(404).end();
  if (breaks?.delete(file) !== true) return void response.end(segment);
  response.writeHead(200, { 'content-length': segment.length });
  response.write(segment.subarray(0, segment.length / 2), () => response.destroy());
}

function sendRange({ request, response }: Pick<Call, 'request' | 'response'>, file: Buffer): void {
  const [, from = '', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  if (from === '') return void response.writeHead(200, { ETag: '"v1"', 'Content-Length': file.length }).end(file);
  const part = file.subarray(Number(from), to === '' ? file.length : Number(to) + 1);
  const range = `bytes ${from}-${Number(from) + part.length - 1}/${file.length}`;
  response.writeHead(206, { ETag: '"v1"', 'Content-Range': range, 'Content-Length': part.length }).end(part);
}
