import type { StatusModel } from './status.ts';

/** The body of a success that has nothing else to say. */
export function ok(): StatusModel {
  return { success: true, message: 'OK', statusCode: 200 };
}

/** A point in time as the interface writes it: UTC, exactly three digits, no zone mark. */
export function wireTime(time: Date): string {
  return time.toISOString().slice(0, -1);
}
