import { ApiError, type OperationName, UnreachableError, VideoFailedError } from '../../../sdk/src/millrace.ts';
import { operations } from '../../../sdk/src/operations.table.ts';
import { Refused } from '../../lib/refused.ts';
import { suggestName } from '../../lib/suggest-name.ts';
import { actions } from './actions.ts';
import { type Context, openContext, options, readArguments } from './context.ts';
import { TransferIncomplete } from './follow-import.ts';
import { argumentName, bashCompletion, needsAccountKey, usage, verbHelp } from './manual.ts';
import { endProgress, printAnswer, printItem, printLine, videoStatusOf } from './output.ts';
import { Interrupted } from './profiles.ts';
import { readBody } from './read-body.ts';
import { type Verb, verbs } from './verbs.table.ts';

type Call = Extract<Verb, { call: OperationName }>;

/** Exit code of a request whose key was missing, wrong or not allowed to do this. */
const KEY_REFUSED = 3;
/** Exit code after Ctrl-C, as in shells: 128 and the number of SIGINT. */
const INTERRUPTED = 130;
/** Verbs that create or remove a profile. */
const PROFILE_VERBS = ['login', 'logout'];

/** Wrong arguments. The exit code means a usage error. */
class UsageError extends Error {}

/** Runs a verb and returns its exit code, or null if the words are not a verb. docs/cli.md lists the codes. */
export async function runVerb(words: readonly string[]): Promise<number | null> {
  const verb = [2, 1].map((count) => verbs.find((one) => one.words === words.slice(0, count).join(' '))).find(Boolean);
  if (verb === undefined) return null;
  const args = words.slice(verb.words.split(' ').length);
  let context: Context | null = null;
  process.stdout.once('error', endWithReader);
  try {
    if (printsLocally(verb, args)) return 0;
    context = await openContext(args, { isOptional: PROFILE_VERBS.includes(verb.words) });
    await runWith(verb, context);
    return 0;
  } catch (error) {
    if (error instanceof Interrupted) return INTERRUPTED;
    const code = codeOf(error);
    // Any other error is a bug, so its stack is printed.
    if (code === null) throw error;
    const cause = error instanceof Error ? error.message : String(error);
    endProgress();
    process.stderr.write(`millrace ${verb.words}: ${cause}\n${requestIdOf(error)}${keyHint(code, context, verb)}`);
    return code;
  }
}

/** Ends the program if the reader of its output has ended, as `head` does, or its output cannot be written. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  if (error.syscall === undefined) throw error;
  process.stderr.write(`millrace: the output could not be written: ${error.message}\n`);
  process.exit(1);
}

/**
 * Prints the help of a verb or the completion script, neither of which needs the service. Returns false for other
 * verbs.
 */
function printsLocally(verb: Verb, args: readonly string[]): boolean {
  const isHelp = readArguments(args).values.help === true;
  if (!isHelp && !('act' in verb && verb.act === 'completion')) return false;
  printLine(isHelp ? verbHelp(verb) : bashCompletion());
  return true;
}

async function runWith(verb: Verb, context: Context): Promise<void> {
  const { takes } = verb;
  const isList = takes.at(-1)?.endsWith('...') === true;
  const given = context.takes.length;
  const least = takes.filter((name) => !name.includes('?')).length;
  if (given < least || (!isList && given > takes.length)) {
    const expected = takes.map(argumentName).join(' ') || 'no argument';
    const got = given === 0 ? 'no argument' : context.takes.join(' ');
    throw new UsageError(`expected ${expected}, got ${got}.\nUsage: ${usage(verb)}\n${optionsHint(verb)}`);
  }
  const { visibility } = context.values;
  if (visibility !== undefined && verb.words !== 'upload') {
    throw new UsageError(`--visibility is only for upload. Did you mean visibility=${visibility}?`);
  }
  if ('call' in verb) await runCall(verb, context);
  else if (verb.act !== 'completion') {
    requireKnownFields(verb.act, context);
    await actions[verb.act](context);
  }
}

function optionsHint({ words }: Verb): string {
  return `Run millrace ${words} --help for all options.`;
}

/** Fields of actions. `any` means that the action or the service checks them. All other actions have none. */
const FIELDS_OF: Partial<Record<keyof typeof actions, 'any' | readonly string[]>> = {
  api: 'any',
  import: 'any',
  export: 'any',
  captions: ['label'],
  clip: ['title', 'collectionId', 'exact'],
};

/** Refuses fields that an action does not have. */
function requireKnownFields(act: keyof typeof actions, { pairs }: Context): void {
  const known = FIELDS_OF[act] ?? [];
  const unknown = Object.keys(pairs).find((name) => known !== 'any' && !known.includes(name));
  if (unknown === undefined) return;
  const isOption = Object.keys(options).includes(unknown) && (unknown !== 'visibility' || act === 'upload');
  const hint = isOption ? ` Did you mean --${unknown}?` : suggestName(unknown, known === 'any' ? [] : known);
  throw new UsageError(`unknown field ${unknown}.${hint} A file of this name is written as ./${unknown}=…`);
}

async function runCall(verb: Call, context: Context): Promise<void> {
  const { millrace, library, values } = context;
  const route = operations[verb.call];
  const names = new Set<string>([
    ...route.query,
    ...[...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `${name}`),
  ]);
  const taken = verb.takes.map((name, index): [string, unknown] => [name, context.takes[index]]);
  const isField = ([name]: [string, unknown]) => !names.has(name);
  const pairs = Object.entries(context.pairs);
  const fields = Object.fromEntries(pairs.filter(isField));
  const [unknown] = Object.keys(fields);
  if (route.body === null && unknown !== undefined) {
    const hint = suggestName(unknown, [...names]);
    throw new UsageError(`unknown parameter ${unknown}.${hint} Expected one of ${[...names].join(', ')}.`);
  }
  const parameters = Object.fromEntries([...pairs.filter((pair) => !isField(pair)), ...taken]);
  const isFiltered = verb.call === 'listVideos' && 'status' in parameters;
  if (isFiltered) parameters.status = videoStatusOf(String(parameters.status));
  const body = await bodyFor(route.body, fields, values.file);
  // The service checks the arguments, and reports what it expected.
  const input = { libraryId: library, ...parameters, ...(body !== undefined && { body }) } as never;
  // The settings are a file for `settings restore`.
  const isJson = values.json === true || verb.call === 'getLibrarySettings';
  if (!names.has('page')) return await printAnswer(await millrace.call(verb.call, input), isJson);
  let left = readLimit(values.limit);
  for await (const item of millrace.pages(verb.call as 'listVideos', input)) {
    if (left <= 0) return;
    left -= 1;
    printItem(item, values.json === true);
  }
}

/** Parses the maximum number of lines of a list. */
function readLimit(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  if (!/^[1-9]\d*$/.test(text))
    throw new UsageError(`expected --limit to be a whole number of at least 1, got ${text}.`);
  return Number(text);
}

async function bodyFor(
  type: string | null,
  fields: Record<string, unknown>,
  file: string | undefined,
): Promise<unknown> {
  if (type === null) return undefined;
  if (type !== 'application/json') return file === undefined ? undefined : await readBody(file);
  const read = file === undefined ? {} : JSON.parse(Buffer.from(await readBody(file)).toString());
  return { ...read, ...fields };
}

/** Returns the source of a refused key, or how to pass a key if none was sent. */
function keyHint(code: number, context: Context | null, verb: Verb): string {
  // A new profile reads its key from stdin and has no source yet.
  if (code !== KEY_REFUSED || context === null || verb.words === 'login') return '';
  if (context.keySource !== null) {
    const needs = needsAccountKey(verb) ? 'This command needs the account key. ' : '';
    return `${needs}The key was taken from ${context.keySource}.\n`;
  }
  return 'No key was sent. Pass one with --key KEY, or save one with millrace login.\n';
}

function codeOf(error: unknown): number | null {
  if (error instanceof VideoFailedError || error instanceof TransferIncomplete) return 6;
  if (error instanceof UnreachableError) return 5;
  if (error instanceof ApiError) {
    if (error.code === 'quota-reached') return 1;
    if (error.status === 401 || error.status === 403) return KEY_REFUSED;
    if (error.status === 404) return 4;
    return error.status === 429 || error.status >= 500 ? 5 : 1;
  }
  if (error instanceof Refused) return error.kind === 'unavailable' ? 5 : 2;
  if (error instanceof UsageError || isArgumentError(error)) return 2;
  return error instanceof Error && 'code' in error && 'syscall' in error ? 1 : null;
}

/** Returns whether parseArgs from node:util rejected the arguments. */
function isArgumentError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
}

function requestIdOf(error: unknown): string {
  return error instanceof ApiError && error.requestId !== null ? `request ${error.requestId}\n` : '';
}
