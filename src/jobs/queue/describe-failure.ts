/** Maximum list items of a payload in a log line. */
const MAX_LOGGED_ITEMS = 20;

/** Returns an error with the name and payload of a failed job. Long lists, such as generated texts, are shortened. */
export function describeFailure(cause: unknown, { job, payload }: { job: string; payload: object }): Error {
  const written = JSON.stringify(payload, (_, value: unknown) =>
    Array.isArray(value) && value.length > MAX_LOGGED_ITEMS ? `${value.length} items` : value,
  );
  return new Error(`The job ${job} failed for ${written}.`, { cause });
}
