import type { RefusalKind } from './error-catalogue.ts';

type RefusedOptions = ErrorOptions & { field?: string; faults?: readonly string[] };

/**
 * A refusal caused by the caller. Its message says what was expected, what was received and what to do. `field` names
 * the part of the request that it is about, if any; `faults` contains a sentence for each fault if there are several.
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
