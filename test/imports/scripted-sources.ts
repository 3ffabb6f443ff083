import { guidOfBytes } from '../../src/lib/guid.ts';
import { type Call, missing, type Reply, VTT } from './scripted-api.ts';

export type Files = { clip: Buffer; image: Buffer };
export type Answer = (call: Call, url: string) => Reply;

export const denied: Reply = { status: 401, json: { error: 'unauthorized' } };
export const peertubeGuid = (index: number) => guidOfBytes(Buffer.alloc(16, index + 1));

/** A page of `all`, as its query requests it. */
export function slice<T>(all: readonly T[], start: number, count: number): T[] {
  return all.slice(start, start + count);
}

/**
 * A PeerTube with four videos in pages of two: a public one with an original, a private one without, a live stream, and
 * one that is deleted after the list.
 */
export function scriptPeertube({ clip, image }: Files): Answer {
  const names = ['First', 'Second', 'Live', 'Deleted'];
  const videos = names.map((name, index) => ({
    uuid: peertubeGuid(index),
    name,
    category: { id: 15, label: 'Science & Technology' },
    privacy: { id: index === 1 ? 5 : 1, label: 'Public' },
    duration: 2,
    isLive: index === 2,
    views: 10 + index,
    channel: { id: 7, name: 'lab', displayName: 'The lab' },
    state: { id: 1, label: 'Published' },
    publishedAt: '2024-03-04T05:06:07.000Z',
    originallyPublishedAt: index === 0 ? '2020-01-02T03:04:05.000Z' : null,
  }));
  let cuts = 1;
  return ({ path, query, header, body, method }, url) => {
    if (path === '/api/v1/oauth-clients/local') return { json: { client_id: 'id', client_secret: 'secret' } };
    if (path === '/api/v1/users/token') {
      const form = new URLSearchParams(body);
      const isRight = method === 'POST' && form.get('client_id') === 'id' && form.get('password') === 'pass word';
      return isRight ? { json: { access_token: 'token', expires_in: 86_400 } } : denied;
    }
    const isSigned = header('authorization') === 'Bearer token';
    if (path === '/api/v1/users/me/videos') {
      if (!isSigned) return denied;
      const data = slice(videos, Number(query.get('start')), Math.min(2, Number(query.get('count'))));
      return { json: { total: videos.length, data } };
    }
    const [, , , , uuid = '', part = ''] = path.split('/');
    const index = videos.findIndex((video) => video.uuid === uuid);
    if (path.startsWith('/download/')) {
      if (!isSigned) return denied;
      // The first transfer is cut halfway through.
      const isWhole = header('range') === 'bytes=0-0';
      if (!isWhole && cuts > 0) {
        cuts -= 1;
        return { bytes: clip, cut: 1_000 };
      }
      return { bytes: clip };
    }
    if (path.startsWith('/lazy/')) return path.endsWith('.vtt') ? { bytes: Buffer.from(VTT) } : { bytes: image };
    if (index === -1 || index === 3 || !isSigned) return missing;
    if (part === 'source') return index === 0 ? { json: { fileDownloadUrl: `${url}/download/original.mp4` } } : missing;
    if (part === 'captions') {
      const data = [{ language: { id: 'fr', label: 'French' }, captionPath: '/lazy/fr.vtt' }];
      return { json: { total: 1, data: index === 0 ? data : [] } };
    }
    if (part === 'chapters') {
      const chapters = [
        { timecode: 1, title: 'Middle' },
        { timecode: 0, title: 'Start' },
      ];
      return { json: { chapters: index === 0 ? chapters : [] } };
    }
    if (part === 'stats') return index === 0 ? { json: { totalWatchTime: 99, totalViewers: 3 } } : missing;
    const files = [
      { resolution: { id: 240 }, fileDownloadUrl: `${url}/download/240.mp4`, size: clip.length },
      { resolution: { id: 720 }, fileDownloadUrl: `${url}/download/720.mp4`, size: clip.length },
    ];
    const playlists = [{ files }];
    const web = { files: index === 0 ? [] : files, streamingPlaylists: index === 0 ? playlists : [] };
    const details = { description: `About ${index}\nin full`, tags: ['one', 'two'], previewPath: '/lazy/preview.png' };
    return { json: { ...videos[index], ...details, ...web } };
  };
}

/**
 * A Mux environment with four assets in pages of two: one whose master must be prepared, one with a signed playback id
 * whose first master URL expires, one that failed, and one that is deleted after the list.
 */
export function scriptMux({ clip }: Files): Answer {
  const masters = new Map<string, number>();
  let expired = 1;
  const asset = (id: string, more: object) => ({
    id,
    status: 'ready',
    created_at: '1609869152',
    duration: 2.04,
    playback_ids: [{ id: `play-${id}`, policy: 'public' }],
    tracks: [],
    ...more,
  });
  const text = { type: 'text', id: 'track', language_code: 'de', name: 'Deutsch', status: 'ready' };
  const assets = [
    asset('a', { meta: { title: 'With a title', external_id: 'shop-7' }, passthrough: 'pass', tracks: [text] }),
    asset('b', { playback_ids: [{ id: 'play-b', policy: 'signed' }], passthrough: 'Passed through', tracks: [text] }),
    asset('c', { status: 'errored', errors: { messages: ['The input is no video.'] } }),
    asset('d', {}),
  ];
  const stateOf = (id: string, url: string) => {
    const looks = masters.get(id);
    if (looks === undefined) return {};
    masters.set(id, looks + 1);
    return { master: looks < 2 ? { status: 'preparing' } : { status: 'ready', url: `${url}/master/${id}/${looks}` } };
  };
  return ({ method, path, query, header, body }, url) => {
    if (path.startsWith('/master/b')) {
      // The URL expires between the first byte and the transfer.
      if (header('range') !== 'bytes=0-0' && expired > 0) {
        expired -= 1;
        return { status: 403 };
      }
      return { bytes: clip };
    }
    if (path.startsWith('/master/')) return { bytes: clip };
    if (path === '/play-a/text/track.vtt') return { bytes: Buffer.from(VTT) };
    if (header('authorization') !== `Basic ${Buffer.from('id:secret').toString('base64')}`) return denied;
    if (path === '/video/v1/assets') {
      const start = Number(query.get('cursor') ?? 0);
      const next = start + 2 < assets.length ? String(start + 2) : null;
      return { json: { data: slice(assets, start, 2), next_cursor: next } };
    }
    const [, , , , id = '', part = ''] = path.split('/');
    const found = assets.find((one) => one.id === id);
    if (found === undefined || id === 'd') return missing;
    if (part === 'master-access') {
      if (method !== 'PUT' || JSON.parse(body).master_access !== 'temporary') return { status: 400 };
      masters.set(id, 0);
      return { json: { data: found } };
    }
    return { json: { data: { ...found, ...stateOf(id, url) } } };
  };
}

export const cloudflareUid = (index: number) => (index + 1).toString(16).padStart(32, '0');

/**
 * A Cloudflare account with as many videos as fill a page, and some more. The first is public, the second requires
 * signed URLs, the third failed, and the others are still received.
 */
export function scriptCloudflare({ clip, image }: Files, count: number): Answer {
  const downloads = new Map<string, number>();
  const videos = Array.from({ length: count }, (_, index) => ({
    uid: cloudflareUid(index),
    meta: { name: `Video ${index}`, shop: 'seven' },
    creator: 'creator-1',
    created: new Date(Date.UTC(2024, 0, 1) + index * 500).toISOString(),
    uploaded: '2024-02-03T04:05:06.000Z',
    duration: 2,
    size: 5_000,
    status: index < 2 ? { state: 'ready' } : index === 2 ? { state: 'error' } : { state: 'queued' },
    requireSignedURLs: index === 1,
    allowedOrigins: index === 1 ? ['example.com'] : [],
    thumbnailTimestampPct: index === 0 ? 0.5 : 0,
    thumbnail: '',
  }));
  return ({ method, path, query, header }, url) => {
    if (path === '/thumb.png') return { bytes: image };
    if (path === `/${cloudflareUid(0)}/downloads/default.mp4` || path === '/signed/downloads/default.mp4')
      return { bytes: clip };
    const base = '/accounts/account/stream';
    if (!path.startsWith(base) || header('authorization') !== 'Bearer token') return denied;
    const reply = (result: unknown): Reply => ({ json: { success: true, errors: [], result } });
    if (path === base) {
      const after = query.get('after') ?? '';
      const later = videos.filter(({ created }) => created > after);
      return reply(
        slice(later, 0, Number(query.get('limit'))).map((video) => ({ ...video, thumbnail: `${url}/thumb.png` })),
      );
    }
    const [, , , , uid = '', part = '', language = ''] = path.split('/');
    if (language !== '') return { bytes: Buffer.from(VTT) };
    if (part === 'captions') return reply([{ language: 'es', label: 'Español', status: 'ready' }]);
    if (part === 'token' && method === 'POST') return reply({ token: 'signed' });
    if (part === '') return reply(videos.find((video) => video.uid === uid) ?? null);
    if (part !== 'downloads') return missing;
    if (method === 'POST') downloads.set(uid, 0);
    const looks = downloads.get(uid);
    if (looks === undefined) return reply({});
    downloads.set(uid, looks + 1);
    const file = { url: `${url}/${uid}/downloads/default.mp4`, percentComplete: 100 };
    return reply({
      default: looks === 0 ? { status: 'inprogress', percentComplete: 10 } : { status: 'ready', ...file },
    });
  };
}
