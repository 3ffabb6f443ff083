import type { Guid } from '../../lib/guid.ts';

/** What can be generated of a video from what is said in it. */
export type SmartFeature = 'title' | 'description' | 'chapters' | 'moments';

/**
 * How far the generation of a feature is. `seen` is the fingerprint of what the video had when it was requested, `made`
 * that of what was generated last; `request` names the latest request.
 */
export type SmartEntry = {
  state: 'queued' | 'in-progress' | 'finished' | 'failed';
  request: Guid;
  seen: string;
  made?: string;
};
export type SmartGeneration = Partial<Record<SmartFeature, SmartEntry>>;
