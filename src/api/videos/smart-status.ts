import type { SmartEntry, SmartGeneration } from '../../catalog/smart/smart-schema.ts';
import type { SmartGenerateFeaturesStatusModel } from '../models/video-parts.ts';

/** Values of `SmartGenerateStatus` in the hosted API. */
const NONE = 0;
const STATUS = { queued: 1, 'in-progress': 2, finished: 3, failed: 4 } as const;
/**
 * Order of precedence if the features have different states: the first of these states that any feature has is
 * reported.
 */
const FIRST = ['in-progress', 'queued', 'failed', 'finished'] as const;

/** Returns the status of everything that was requested for a video. */
export function smartStatus(smart: SmartGeneration): 0 | 1 | 2 | 3 | 4 {
  const states = Object.values(smart).map(({ state }) => state);
  const first = FIRST.find((state) => states.includes(state));
  return first === undefined ? NONE : STATUS[first];
}

/** Returns the status of each feature. */
export function smartFeaturesStatus(smart: SmartGeneration): SmartGenerateFeaturesStatusModel {
  const of = (entry: SmartEntry | undefined) => (entry === undefined ? NONE : STATUS[entry.state]);
  return {
    title: of(smart.title),
    description: of(smart.description),
    chapters: of(smart.chapters),
    moments: of(smart.moments),
  };
}
