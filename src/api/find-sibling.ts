import type { TObject } from 'typebox';
import { CollectionModel } from './models/collection.ts';
import { guardOf } from './models/fields.ts';
import { LiveStreamModel, UpdateLiveStreamModel } from './models/live-stream.ts';
import {
  BlockedIpModel,
  PullZoneModel,
  PullZoneUpdateModel,
  ResetPullZoneSecurityKeyModel,
} from './models/pull-zone.ts';
import { ShieldZoneChange, ShieldZoneModel } from './models/shield-zone.ts';
import { UpdateVideoModel, VideoModel } from './models/video.ts';
import { VideoLibraryModel, VideoLibraryUpdateModel } from './models/video-library.ts';

/** Request bodies of the hosted API with fields that protect or destroy something (see `Guard`), by operation. */
const BODIES: Readonly<Record<string, TObject>> = {
  'POST /videolibrary/{id}': VideoLibraryUpdateModel,
  'POST /pullzone/{id}': PullZoneUpdateModel,
  'POST /pullzone/{id}/resetSecurityKey': ResetPullZoneSecurityKeyModel,
  'POST /pullzone/{id}/addBlockedIp': BlockedIpModel,
  'PATCH /shield/shield-zone': ShieldZoneChange,
  'PUT /library/{libraryId}/live/{streamId}': UpdateLiveStreamModel,
  'POST /library/{libraryId}/videos/{videoId}': UpdateVideoModel,
};

/** Query parameters of the hosted API, and of our additions to it, that protect or destroy something. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  'POST /videolibrary/{id}/resetApiKey': ['overlapSec'],
  'DELETE /library/{libraryId}/live/{streamId}/thumbnail': ['restoreLibraryDefault'],
  'DELETE /library/{libraryId}/videos/{videoId}': ['trash'],
  'POST /library/{libraryId}/videos/{videoId}/repackage': ['keepOriginalFiles'],
  'POST /library/{libraryId}/videos/{videoId}/transcribe': ['force'],
  'POST /library/{libraryId}/videos/{videoId}/resolutions/cleanup': [
    ...['resolutionsToDelete', 'deleteNonConfiguredResolutions', 'deleteOriginal', 'deleteMp4Files', 'dryRun'],
    ...['allResolutions', 'outputs'],
  ],
};

/**
 * Models that GET requests return, by the beginning of their paths. Clients send back whole models that they have read.
 */
const READ: readonly (readonly [RegExp, TObject])[] = [
  [/^\/videolibrary\b/, VideoLibraryModel],
  [/^\/pullzone\b/, PullZoneModel],
  [/^\/shield\b/, ShieldZoneModel],
  [/^\/library\/\{libraryId\}\/videos\b/, VideoModel],
  [/^\/library\/\{libraryId\}\/live\b/, LiveStreamModel],
  [/^\/library\/\{libraryId\}\/collections\b/, CollectionModel],
];

const SIBLINGS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(QUERIES).flatMap(([owner, names]) => names.map((name) => [name.toLowerCase(), owner] as const)),
  ...Object.entries(BODIES).flatMap(([owner, body]) => guardedNames(body).map((name) => [name, owner] as const)),
]);

/**
 * Returns the operation for which `name` is a guarded field or parameter, so that a request that was meant for it is
 * not accepted silently by another operation. Returns null if there is none, or if a GET response for `path` contains
 * the name.
 */
export function findSibling(name: string, path: string): string | null {
  const owner = SIBLINGS.get(name.toLowerCase());
  if (owner === undefined) return null;
  const [, read] = READ.find(([start]) => start.test(path)) ?? [];
  const isRead = Object.keys(read?.properties ?? {}).some((each) => each.toLowerCase() === name.toLowerCase());
  return isRead ? null : owner;
}

/** Returns the guarded names of the top level, and the names that other resources use for them, in lower case. */
function guardedNames({ properties }: TObject): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (guardOf(schema) === null) return [];
    const { 'x-also-called': others = [] }: { 'x-also-called'?: readonly string[] } = { ...schema };
    return [name, ...others].map((each) => each.toLowerCase());
  });
}
