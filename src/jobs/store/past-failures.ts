/** Maximum number of failures whose causes are reported. */
const MAX_REPORTED_FAILURES = 5;
const MAX_REPORTED_CHARS = 500;
const MAX_CAUSES = 5;
/**
 * Number of consecutive failures after which the remaining items are skipped, because the items are probably not the
 * cause.
 */
const MAX_CONSECUTIVE_FAILURES = 10;

/**
 * Runs an action for each item and continues after failures. Then throws one error that describes all of them. Stops
 * early after many consecutive failures. The order of the items must therefore vary between runs, so that items that
 * always fail do not block the others.
 */
export async function pastFailures<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  action: (item: Item) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let [all, failed, inARow] = [0, 0, 0];
  let ending = 'the other changes were made';
  const causes: unknown[] = [];
  try {
    for await (const item of items) {
      signal.throwIfAborted();
      if (inARow >= MAX_CONSECUTIVE_FAILURES) {
        ending = 'the rest was left';
        break;
      }
      all += 1;
      try {
        await action(item);
        inARow = 0;
      } catch (cause) {
        failed += 1;
        inARow += 1;
        if (causes.length < MAX_REPORTED_FAILURES) causes.push(cause);
      }
    }
  } catch (cause) {
    if (failed === 0) throw cause;
    ending = `the rest was left (${report(cause)})`;
  }
  if (failed > 0) {
    throw new Error(`${failed} of ${all} failed, ${ending}: ${causes.map(report).join('; ')}`, { cause: causes[0] });
  }
}

/** Returns an error's message and its causes in one line of limited length, because loggers print little of causes. */
function report(error: unknown): string {
  let text = messageOf(error);
  let cause = error instanceof Error ? error.cause : undefined;
  for (let depth = 0; depth < MAX_CAUSES && cause !== undefined; depth += 1) {
    // An error from this file already includes its causes.
    if (!text.includes(messageOf(cause))) text += `: ${messageOf(cause)}`;
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return text.length <= MAX_REPORTED_CHARS ? text : `${text.slice(0, MAX_REPORTED_CHARS)}…`;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === '' ? error.name : error.message;
}
