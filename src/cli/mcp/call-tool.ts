import { ApiError, ArgumentError, Millrace, type OperationName, UnreachableError } from '../../../sdk/src/millrace.ts';
import type { Service } from '../client/find-rights.ts';
import { hideSecrets } from './hide-secrets.ts';
import type { Tool } from './tools.ts';

/** Result of a call, in the format of the Model Context Protocol. */
export type ToolResult = { content: { type: 'text'; text: string }[]; isError?: true };

/** Maximum length of a result in characters. A list of 20 videos has about half of it. */
export const MAX_RESULT_CHARS = 60_000;
/** Items per page unless the call asks for a number. */
const DEFAULT_ITEMS = 20;
const PAGE_SIZES = ['itemsPerPage', 'perPage'];

/**
 * Calls the operation of a tool. Resolves to its response without secrets and in a limited length. A refusal of the
 * service is a result too, so that the model can correct its call.
 */
export async function callTool(
  service: Service,
  { tool, input }: { tool: Tool; input: Readonly<Record<string, unknown>> },
  signal: AbortSignal,
): Promise<ToolResult> {
  const unknown = Object.keys(input).filter((name) => !(name in tool.inputSchema.properties));
  if (unknown.length > 0) return failure(`Unknown argument ${unknown.join(', ')}. ${expected(tool)}`);
  const values = { libraryId: service.library, ...input };
  const missing = tool.inputSchema.required.filter((name) => Object(values)[name] === undefined);
  if (missing.length > 0) return failure(`Missing argument ${missing.join(', ')}. ${expected(tool)}`);
  try {
    return limited(await send(service, tool, values, signal), service.key);
  } catch (error) {
    // The client refuses values that change the path, such as `..`.
    if (error instanceof ArgumentError) return failure(`Invalid argument: ${error.message} ${expected(tool)}`);
    if (!(error instanceof ApiError) && !(error instanceof UnreachableError)) throw error;
    return failure(String(hideSecrets(error.message, service.key)));
  }
}

async function send(
  { url, key }: Service,
  { name, route }: Tool,
  values: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<unknown> {
  const sizes = PAGE_SIZES.filter((size) => route.query.includes(size) && values[size] === undefined);
  const input = {
    ...values,
    ...Object.fromEntries(sizes.map((size) => [size, DEFAULT_ITEMS])),
    ...(route.hasBody && { body: values.body ?? {} }),
    signal,
  };
  // The tools and the client's table of routes are generated from the same operations.
  const answer: unknown = await new Millrace({ url, key }).call(name as OperationName, input as never);
  return answer instanceof Response ? await answer.text() : (answer ?? '');
}

function limited(answer: unknown, key: string | null): ToolResult {
  const clean = hideSecrets(answer, key);
  const text = typeof clean === 'string' ? clean : JSON.stringify(clean, null, 1);
  if (text.length <= MAX_RESULT_CHARS) return { content: [{ type: 'text', text: text === '' ? 'Done.' : text }] };
  const note =
    `The result has ${text.length} characters. Only the first ${MAX_RESULT_CHARS} follow. Ask for less: a smaller ` +
    'itemsPerPage, a shorter period, or one item.';
  return {
    content: [
      { type: 'text', text: note },
      { type: 'text', text: text.slice(0, MAX_RESULT_CHARS) },
    ],
  };
}

function failure(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function expected({ inputSchema: { properties, required } }: Tool): string {
  const names = Object.keys(properties).map((name) => (required.includes(name) ? `${name} (required)` : name));
  return `Expected: ${names.join(', ') || 'none'}.`;
}
