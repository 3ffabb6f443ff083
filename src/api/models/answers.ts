import type { StatusModel } from './status.ts';

/** Returns the body of a success response that contains no data. */
export function ok(): StatusModel {
  return { success: true, message: 'OK', statusCode: 200 };
}

/** Formats a time as in the API: UTC, with exactly three decimal places and no time zone. */
export function wireTime(time: Date): string {
  return time.toISOString().slice(0, -1);
}
