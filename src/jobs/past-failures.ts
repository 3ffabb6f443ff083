/** Of what failed, the causes of so many are told. */
const MOST_TOLD = 5;

/** Does a deed for each of some things in turn, past those for which it fails. Then throws one error that tells of all. */
export async function pastFailures<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  deed: (item: Item) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let [all, failed] = [0, 0];
  const causes: unknown[] = [];
  for await (const item of items) {
    signal.throwIfAborted();
    all += 1;
    try {
      await deed(item);
    } catch (cause) {
      failed += 1;
      if (causes.length < MOST_TOLD) causes.push(cause);
    }
  }
  if (failed > 0) throw new AggregateError(causes, `${failed} of ${all} failed, the others were done.`);
}
