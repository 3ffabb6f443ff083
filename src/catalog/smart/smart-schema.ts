import type { Guid } from '../../lib/guid.ts';

/** Metadata that can be generated from a video's speech. */
export type SmartFeature = 'title' | 'description' | 'chapters' | 'moments';

/**
 * Generation progress of a feature. `seen` is the fingerprint of the video's value at the request, `made` is the
 * fingerprint of the last generated value; `request` identifies the latest request.
 */
export type SmartEntry = {
  state: 'queued' | 'in-progress' | 'finished' | 'failed';
  request: Guid;
  seen: string;
  made?: string;
};
export type SmartGeneration = Partial<Record<SmartFeature, SmartEntry>>;
