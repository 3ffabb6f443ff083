/**
 * Thrown to work that may not store its output. `lost`: the lease expired, another worker or process has it, or its
 * subject was deleted, so the work ends without a trace. `overtaken`: the lease holds, but other work has stored a part
 * of the output, so the rest is done again.
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

/** Returns whether an error means that the work's lease does not hold, so that its outcome is not recorded. */
export function isLeaseLost(error: unknown): boolean {
  return error instanceof LeaseLost && error.kind === 'lost';
}
