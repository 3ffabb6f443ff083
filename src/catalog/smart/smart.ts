import { createHash } from 'node:crypto';
import type { Guid } from '../../lib/guid.ts';
import type { Chapter, Moment } from '../schema.ts';
import type { SmartEntry, SmartFeature, SmartGeneration } from './smart-schema.ts';

/** What can be generated of a video from what is said in it. */
export const SMART_FEATURES: readonly SmartFeature[] = ['title', 'description', 'chapters', 'moments'];

/** What a video has, or gets, of each feature. */
export type SmartValues = { title: string; description: string; chapters: Chapter[]; moments: Moment[] };

/** Identifies a value, so that it is known again. */
export function fingerprint(value: SmartValues[SmartFeature]): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}

export function isOpen(entry: SmartEntry | undefined): boolean {
  return entry !== undefined && (entry.state === 'queued' || entry.state === 'in-progress');
}

/** Requests features: one that is under way already stays as it is. */
export function requestFeatures(
  before: SmartGeneration,
  features: readonly SmartFeature[],
  { request, has }: { request: Guid; has: SmartValues },
): SmartGeneration {
  const after: SmartGeneration = { ...before };
  for (const feature of features) {
    const entry = before[feature];
    if (isOpen(entry)) continue;
    const made = entry?.made === undefined ? {} : { made: entry.made };
    after[feature] = { state: 'queued', request, seen: fingerprint(has[feature]), ...made };
  }
  return after;
}

/** The features of a request that are still to be made. */
export function openFeatures(smart: SmartGeneration, request: Guid): SmartFeature[] {
  return SMART_FEATURES.filter((feature) => isOpen(smart[feature]) && smart[feature]?.request === request);
}

/**
 * Whether a feature may be replaced: it is as the last generation left it or, before the first, as it was when that was
 * requested. Anything else was set by a person meanwhile.
 */
export function mayReplace(entry: SmartEntry, value: SmartValues[SmartFeature]): boolean {
  return fingerprint(value) === (entry.made ?? entry.seen);
}

const MEDIA_FILE =
  /\.(?:3gp|asf|avi|flac|flv|m2ts|m4a|m4v|mkv|mov|mp3|mp4|mpe?g|mts|mxf|ogg|ogv|opus|ts|vob|wav|webm|wmv)$/i;
/**
 * Names that cameras, recorders and clients give: `IMG_0042`, `VID-20260101-WA0003`, `2026-01-01 10-00-00`, a GUID, and
 * words that are joined by underscores.
 */
const GIVEN_NAMES = [
  /^(?:img|vid|mov|mvi|dsc[nf]?|dji|gopr|gp|gh|gx|pxl)[_-]?\d{3,}[\d_\-.]*(?:wa\d+)?$/i,
  /^\d{4}-?\d{2}-?\d{2}[\d\s_\-.:tz]*$/i,
  /^[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i,
  /^[^\s_]*(?:_[^\s_]*)+$/,
  /^(?:untitled|undefined|null)$/i,
];

/** Whether a title is the name of a file, or one that no person chose; only such a title is replaced unseen. */
export function isFileName(title: string): boolean {
  const name = title.trim();
  return name === '' || MEDIA_FILE.test(name) || GIVEN_NAMES.some((pattern) => pattern.test(name));
}

/** Whether a title that is taken out of the captions may replace another: a file name, or an earlier generated one. */
export function mayExtractTitle({ made }: SmartEntry, title: string): boolean {
  return isFileName(title) || fingerprint(title) === made;
}
