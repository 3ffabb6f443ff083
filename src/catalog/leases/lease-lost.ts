/**
 * Thrown to work that may not store its output. `lost`: the lease expired, another worker or process holds it, or its
 * subject was deleted; the work ends without recording anything. `overtaken`: the worker still holds the lease, but
 * other work has stored a part of the output, so the worker does the rest again.
 */
export class LeaseLost extends Error {
  readonly kind: 'lost' | 'overtaken';

  constructor(
    message = 'Another worker holds this task, or it is no longer needed.',
    kind: 'lost' | 'overtaken' = 'lost',
  ) {
    super(message);
    this.name = 'LeaseLost';
    this.kind = kind;
  }
}

/** Returns whether an error means that the worker no longer holds its lease, so that the outcome is not recorded. */
export function isLeaseLost(error: unknown): boolean {
  return error instanceof LeaseLost && error.kind === 'lost';
}
