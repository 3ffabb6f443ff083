/** Maximum depth of causes, and maximum errors of an `AggregateError`. */
const MAX_CAUSES = 6;
const MAX_ERRORS = 5;

/** An error as written to the log. Other properties are left out: they may hold requests with their secrets. */
export type DescribedError = {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: DescribedError;
  errors?: DescribedError[];
};

/** Converts any thrown value for the log, with texts of any length. Only the outermost error has a stack. */
export function describeError(error: unknown, depth = 0): DescribedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { code }: { code?: unknown } = Object(error);
  const errors = error instanceof AggregateError ? error.errors.slice(0, MAX_ERRORS) : [];
  const isDeep = depth >= MAX_CAUSES;
  return {
    type: error.name,
    message: error.message,
    ...((typeof code === 'string' || typeof code === 'number') && { code: String(code) }),
    ...(depth === 0 && error.stack !== undefined && { stack: error.stack }),
    ...(error.cause !== undefined && !isDeep && { cause: describeError(error.cause, depth + 1) }),
    ...(errors.length > 0 && !isDeep && { errors: errors.map((one: unknown) => describeError(one, depth + 1)) }),
  };
}
