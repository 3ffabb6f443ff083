import { createHash } from 'node:crypto';
import type { Guid } from '../../lib/guid.ts';
import type { Chapter, Moment } from '../schema.ts';
import type { SmartEntry, SmartFeature, SmartGeneration } from './smart-schema.ts';

/** Metadata that can be generated from a video's speech. */
export const SMART_FEATURES: readonly SmartFeature[] = ['title', 'description', 'chapters', 'moments'];

/** A video's present or generated value for each feature. */
export type SmartValues = { title: string; description: string; chapters: Chapter[]; moments: Moment[] };

/** Returns an identifier of a value, to recognise it later. */
export function fingerprint(value: SmartValues[SmartFeature]): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}

export function isOpen(entry: SmartEntry | undefined): boolean {
  return entry !== undefined && (entry.state === 'queued' || entry.state === 'in-progress');
}

/** Requests features; those in progress are left unchanged. */
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

/** Returns the requested features that are still to be generated. */
export function openFeatures(smart: SmartGeneration, request: Guid): SmartFeature[] {
  return SMART_FEATURES.filter((feature) => isOpen(smart[feature]) && smart[feature]?.request === request);
}

/**
 * Returns whether a feature may be replaced: it is unchanged since the last generation or, before the first, since its
 * request. Any other value was set by a person.
 */
export function mayReplace(entry: SmartEntry, value: SmartValues[SmartFeature]): boolean {
  return fingerprint(value) === (entry.made ?? entry.seen);
}

const MEDIA_FILE =
  /\.(?:3gp|asf|avi|flac|flv|m2ts|m4a|m4v|mkv|mov|mp3|mp4|mpe?g|mts|mxf|ogg|ogv|opus|ts|vob|wav|webm|wmv)$/i;
/**
 * Names given by cameras, recorders and clients: `IMG_0042`, `VID-20260101-WA0003`, `2026-01-01 10-00-00`, a GUID, and
 * words joined by underscores.
 */
const GIVEN_NAMES = [
  /^(?:img|vid|mov|mvi|dsc[nf]?|dji|gopr|gp|gh|gx|pxl)[_-]?\d{3,}[\d_\-.]*(?:wa\d+)?$/i,
  /^\d{4}-?\d{2}-?\d{2}[\d\s_\-.:tz]*$/i,
  /^[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i,
  /^[^\s_]*(?:_[^\s_]*)+$/,
  /^(?:untitled|undefined|null)$/i,
];

/**
 * Returns whether a title is a file name, or one that no person chose. Only such a title is replaced without review.
 */
export function isFileName(title: string): boolean {
  const name = title.trim();
  return name === '' || MEDIA_FILE.test(name) || GIVEN_NAMES.some((pattern) => pattern.test(name));
}

/**
 * Returns whether a title extracted from the captions may replace another: a file name, or an earlier generated one.
 */
export function mayExtractTitle({ made }: SmartEntry, title: string): boolean {
  return isFileName(title) || fingerprint(title) === made;
}
