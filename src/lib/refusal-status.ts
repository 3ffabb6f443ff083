import type { RefusalKind } from './refused.ts';

/** The HTTP status of each kind of refusal, where nothing says otherwise. */
export const REFUSAL_STATUS: { readonly [K in RefusalKind]: number } = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  timeout: 408,
  conflict: 409,
  'too-large': 413,
  unprocessable: 422,
  busy: 429,
  'not-implemented': 501,
  unavailable: 503,
  'disk-full': 507,
};
