/**
 * Why a caller is refused. Each edge turns a kind into its own status and body; nothing else does.
 *
 * `invalid` 400, `unauthenticated` 401, `forbidden` 403, `not-found` 404, `timeout` 408,
 * `conflict` 409, `too-large` 413, `unprocessable` 422, `busy` 429, `not-implemented` 501, `unavailable` 503,
 * `disk-full` 507.
 */
export type RefusalKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'timeout'
  | 'conflict'
  | 'too-large'
  | 'unprocessable'
  | 'busy'
  | 'not-implemented'
  | 'unavailable'
  | 'disk-full';

type RefusedOptions = ErrorOptions & { field?: string; faults?: readonly string[] };

/**
 * A refusal that is the caller's doing. Its message says what was expected, what came and what to do;
 * `field` names the part of the request that it is about, where there is one; `faults` holds a sentence for each fault
 * where there are several.
 */
export class Refused extends Error {
  readonly kind: RefusalKind;
  readonly field: string | null;
  readonly faults: readonly string[];

  constructor(kind: RefusalKind, message: string, options: RefusedOptions = {}) {
    super(message, options);
    this.name = 'Refused';
    this.kind = kind;
    this.field = options.field ?? null;
    this.faults = options.faults ?? [message];
  }
}
