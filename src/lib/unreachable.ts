/** Ends an exhaustive switch: it does not compile while a case is missing. */
export function unreachable(value: never): never {
  throw new Error(`Unhandled case: ${JSON.stringify(value)}.`);
}
