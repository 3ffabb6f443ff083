import { keptValue } from './kept-value.ts';

/**
 * First steps that only this browser knows, as ids of libraries: a copied embed code, and a checklist that is shown
 * (`started`) or hidden (`dismissed`).
 */
type KeptSteps = { embedded: readonly number[]; started: readonly number[]; dismissed: readonly number[] };

const MAX_LIBRARIES = 200;

const isIds = (value: unknown): value is number[] => Array.isArray(value) && value.every(Number.isSafeInteger);

const kept = keptValue<KeptSteps>('millrace-first-steps', { embedded: [], started: [], dismissed: [] }, (stored) => {
  const { embedded, started, dismissed } = Object(stored);
  return isIds(embedded) && isIds(started) && isIds(dismissed) ? { embedded, started, dismissed } : null;
});

/** Returns whether a step of a library was kept. */
export function hasKeptStep(step: keyof KeptSteps, libraryId: number): boolean {
  return kept.value[step].includes(libraryId);
}

/** Keeps a step of a library. */
export function keepStep(step: keyof KeptSteps, libraryId: number): void {
  if (!hasKeptStep(step, libraryId))
    kept.change((steps) => ({ ...steps, [step]: [libraryId, ...steps[step]].slice(0, MAX_LIBRARIES) }));
}
