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
