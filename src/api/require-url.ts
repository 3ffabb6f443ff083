import { checkUrl } from '../lib/outbound/request-rules.ts';
import { Refused } from '../lib/refused.ts';

/** Throws `Refused` (`invalid`) unless a field has an http or https URL that the service may open. */
export function requireUrl(field: string, text: string): void {
  try {
    checkUrl(text);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new Refused('invalid', `${error.message} Correct ${field}.`, { field, cause: error });
  }
}
