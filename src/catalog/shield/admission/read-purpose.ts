import type { PlaybackPart, Purpose } from './admit.ts';
import type { CompiledPolicy } from './compiled-policy.ts';
import type { EdgeTarget } from './edge-path.ts';
import type { Route } from './route.ts';

/** Returns the purpose of a request from its method and target. */
export function purposeOf(method: string, target: EdgeTarget | null): Purpose {
  if (method === 'OPTIONS') return 'preflight';
  if (target === null) return 'unknown';
  if (target.kind === 'share') return 'player';
  return target.kind === 'beacon' || target.kind === 'embed-client' ? 'asset' : target.kind;
}

/**
 * Returns the role of a request in playback, for quotas of viewers and bandwidth. It is `none` for segments and the
 * state of an open page, so that a video that plays is not interrupted.
 */
export function playbackPartOf(target: EdgeTarget | null, isPlaying: boolean): PlaybackPart {
  const start = isPlaying ? 'continue' : 'start';
  if (target?.kind === 'player') return target.wantsState ? 'none' : start;
  if (target?.kind === 'share') return ['logo', 'list', 'comments'].includes(target.part) ? 'none' : start;
  if (target?.kind !== 'media') return 'none';
  switch (target.file.kind) {
    case 'multivariant':
    case 'manifest':
    case 'mp4':
    case 'original':
      return start;
    case 'rung-playlist':
    case 'rendition-playlist':
    case 'captions-playlist':
    case 'i-frame-playlist':
      return 'continue';
    case 'init':
    case 'segment':
    case 'part':
    case 'i-frame':
    case 'licence':
    case 'fair-play-certificate':
    case 'key':
    case 'captions':
    case 'image':
    case 'storyboard':
    case 'still':
      return 'none';
  }
}

/**
 * Returns whether the firewall inspects a request. It inspects only requests whose URL does not have a known form.
 * Requests of players are never inspected, in particular those with a range.
 */
export function needsInspection(purpose: Purpose, isQueryKnown: boolean, hasRange: boolean): boolean {
  switch (purpose) {
    case 'unknown':
      return true;
    case 'media':
    case 'player':
      return !isQueryKnown && !hasRange;
    case 'asset':
    case 'preflight':
      return false;
  }
}

/**
 * Returns the target under a zone's host, which serves only that zone and its library, or null for targets of other
 * zones.
 */
export function targetUnderHost({ pathZone, target }: Route, { zone }: CompiledPolicy): EdgeTarget | null {
  const isForeign = pathZone !== null && pathZone !== zone.name;
  const isForeignPage = target?.kind === 'player' && target.libraryId !== zone.libraryId;
  return isForeign || isForeignPage ? null : target;
}
