import type { IncomingMessage } from 'node:http';
import type { Publication } from '../catalog/publications/publication.ts';
import { serveManifest } from './dash/serve-manifest.ts';
import type { EdgeStorage } from './edge-deps.ts';
import { type EdgeTarget, type MediaFile, parseEdgePath } from './edge-path.ts';
import { serveFile } from './files/serve-file.ts';
import type { IFrameLists } from './hls/i-frame-lists.ts';
import { serveIFrames } from './hls/serve-i-frames.ts';
import { servePlaylist } from './hls/serve-playlist.ts';
import { serveSegment } from './hls/serve-segment.ts';
import { type Answer, CACHE_FOR_EVER, notFound } from './http/answer.ts';
import type { SegmentWishes } from './jit/segment-wishes.ts';
import type { MoviePlans } from './mp4/movie-plans.ts';
import { serveMp4 } from './mp4/serve-mp4.ts';
import type { ObjectSender } from './objects/object-sender.ts';
import type { PlayerAssets } from './player/load-player-assets.ts';
import { servePlayer } from './player/serve-player.ts';
import type { PublicationReader } from './publication-reader.ts';

export type AnswerDeps = {
  reader: PublicationReader;
  objects: ObjectSender;
  movies: MoviePlans;
  iFrames: IFrameLists;
  wishes: SegmentWishes;
  storage: EdgeStorage;
  player: PlayerAssets;
};

type Leave = () => AbortSignal;

type MediaDeps = AnswerDeps & { wantsDownload: boolean };

/** Finds what a GET or HEAD asks for. `leave` answers a signal that is aborted when the viewer leaves. */
export async function answerRequest(request: IncomingMessage, deps: AnswerDeps, leave: Leave): Promise<Answer> {
  const target = parseEdgePath(request.url ?? '/', request.headers.host ?? '');
  if (target === null) return unknown();
  switch (target.kind) {
    case 'asset':
      return serveAsset(target.name, deps.player);
    case 'player': {
      const publication = await deps.reader.find(target.libraryId, target.mediaId);
      return servePlayer(publication, target.wantsState, deps.player);
    }
    case 'media':
      return answerMedia(target, { ...deps, wantsDownload: asksForDownload(request.url ?? '') }, leave);
  }
}

async function answerMedia(
  target: Extract<EdgeTarget, { kind: 'media' }>,
  deps: MediaDeps,
  leave: Leave,
): Promise<Answer> {
  const pullZone = await deps.reader.findPullZone(target.pullZone);
  if (pullZone === null) return unknown();
  const publication = await deps.reader.find(pullZone.libraryId, target.mediaId);
  return publication === null ? unknown() : answerFile(publication, target.file, { ...deps, leave });
}

function answerFile(publication: Publication, file: MediaFile, deps: MediaDeps & { leave: Leave }): Promise<Answer> {
  switch (file.kind) {
    case 'multivariant':
    case 'rung-playlist':
    case 'rendition-playlist':
    case 'captions-playlist':
      return servePlaylist(publication, file, { written: deps.objects.hot, iFrames: deps.iFrames });
    case 'i-frame-playlist':
    case 'i-frame':
      return serveIFrames(publication, file, deps.iFrames);
    case 'manifest':
      return serveManifest(publication, deps.objects.hot);
    case 'mp4':
      return serveMp4(publication, { heightPx: file.heightPx, wantsDownload: deps.wantsDownload }, deps.movies);
    case 'init':
    case 'segment':
      return serveSegment(publication, file, deps);
    case 'picture':
    case 'captions':
    case 'original':
      return serveFile(publication, file, deps.storage);
  }
}

/** `?download`, with any value but a plain no. */
function asksForDownload(url: string): boolean {
  const query = url.indexOf('?');
  const value = query === -1 ? null : new URLSearchParams(url.slice(query)).get('download');
  return value !== null && !['0', 'false'].includes(value.toLowerCase());
}

function serveAsset(name: string, player: PlayerAssets): Answer {
  const asset = player.files.get(name);
  if (asset === undefined) return unknown();
  return { kind: 'bytes', cacheControl: CACHE_FOR_EVER, ...asset };
}

function unknown(): Answer {
  return notFound('not-found', 'There is nothing at this address.');
}
