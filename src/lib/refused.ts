import type { RefusalKind } from './error-catalogue.ts';

type RefusedOptions = ErrorOptions & {
  field?: string;
  faults?: readonly string[];
  coreKey?: string;
};

/**
 * A refusal caused by the caller. The message states what was expected, what was received and what to do. `field` is
 * the affected part of the request, if any. `faults` has one sentence per fault if there are several. `coreKey` is the
 * `ErrorKey` of the account API, if the hosted API has a specific key for the refusal.
 */
export class Refused extends Error {
  readonly kind: RefusalKind;
  readonly field: string | null;
  readonly faults: readonly string[];
  readonly coreKey: string | null;

  constructor(kind: RefusalKind, message: string, options: RefusedOptions = {}) {
    super(message, options);
    this.name = 'Refused';
    this.kind = kind;
    this.field = options.field ?? null;
    this.faults = options.faults ?? [message];
    this.coreKey = options.coreKey ?? null;
  }
}
