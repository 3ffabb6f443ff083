import { readFileSync } from 'node:fs';
import path from 'node:path';
import querystring from 'node:querystring';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../../src/api/operations.ts';
import type { Answer } from '../support/api.ts';
import { COMMON_STATUSES, expectBodyOf, expectErrorBody, expectGoodManners, isRefusal } from './check-answer.ts';
import { FOREIGN, type FuzzRequest, OWN, requestsTo } from './fuzz-requests.ts';
import { errorsOf, findRow, nameOf, type Real, type Row, rows } from './interface-data.ts';
import { ORIGIN } from './plain-values.ts';
import { createSender } from './send-raw.ts';
import { startWorld, type World } from './world.ts';

/**
 * Different seeds find different faults. The default is fixed, so that runs are repeatable and an old fault does not
 * fail an unrelated change.
 */
const SEED = Number(process.env.MILLRACE_FUZZ_SEED ?? 1);
const RUNS = Number(process.env.MILLRACE_FUZZ_RUNS ?? 3);
const SHRINK_LIMIT_MS = 40_000;
const MAX_SHOWN_CHARS = 3_000;

type OpenApi = { paths: Record<string, Record<string, { responses: object }>> };
/** The committed OpenAPI document of Millrace. */
const OPENAPI: OpenApi = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../docs/openapi.json'), 'utf8'));

let world: World;
let sender: ReturnType<typeof createSender>;
let collections: { own: string; foreign: string };
beforeAll(async () => {
  process.stdout.write(`Fuzzing each operation ${RUNS} times with MILLRACE_FUZZ_SEED=${SEED}.\n`);
  world = await startWorld();
  sender = createSender(world.api.api.port);
  collections = { own: await makeCollection(1, world.keys.own), foreign: await makeForeignCollection() };
});
afterAll(async () => {
  sender.close();
  await world.stop();
});

async function makeCollection(library: number, key: string): Promise<string> {
  const path = `/library/${library}/collections`;
  const { body } = await world.ask({ method: 'POST', path, key, body: { name: 'Collection' } });
  return String(Object(body).guid);
}

function makeForeignCollection(): Promise<string> {
  return makeCollection(world.api.second.id, world.api.second.key);
}

for (const operation of operations) {
  test(
    `${nameOf(operation)} does not fail on any input`,
    async () => {
      const things = await freshThings(operation);
      const property = fc.asyncProperty(requestsTo(operation), (request) => hold(operation, request, things));
      const details = await fc.check(property, { seed: SEED, numRuns: RUNS, interruptAfterTimeLimit: SHRINK_LIMIT_MS });
      if (!details.failed || details.counterexample === null) return;
      const shown = JSON.stringify(details.counterexample[0]).slice(0, MAX_SHOWN_CHARS);
      const cause = details.errorInstance;
      throw new Error(`MILLRACE_FUZZ_SEED=${SEED} path ${details.counterexamplePath}: ${shown}\n${cause}`, { cause });
    },
    SHRINK_LIMIT_MS * (1 + RUNS / 100),
  );
}

/**
 * URLs of an object of our own library and of a foreign one. Both are created again if a request may have changed
 * or deleted our own.
 */
type Things = { own: string; foreign: string; before: Record<string, string> };

async function freshThings(operation: Real): Promise<Things> {
  const [own, foreign] = [await world.address(operation), await world.address(operation, 'foreign')];
  return { own, foreign, before: await world.state() };
}

async function hold(operation: Real, request: FuzzRequest, things: Things): Promise<void> {
  const answer = await send(operation, request, things);
  expect(world.api.faults.splice(0)).toEqual([]);
  expectListed(operation, answer);
  expectGoodManners(answer, wordsOf(request));
  // A URL with invalid percent-encoding matches no operation, so no key is required.
  const isLost = answer.status === 404 && answer.text.includes('cannot be parsed');
  if (request.key !== 'proper' && operation.auth !== 'none' && !isLost) expect(answer.status).toBe(401);
  if (request.misfit !== null) expect(isRefusal(answer), request.misfit).toBe(true);
  // The video shows why its upload was refused.
  const isNoted = operation.name === 'uploadVideo' && answer.status === 400;
  if (operation.method === 'GET' || (isRefusal(answer) && !isNoted)) expect(await world.state()).toEqual(things.before);
  else Object.assign(things, await freshThings(operation));
}

function expectListed(operation: Real, answer: Answer): void {
  const row = findRow(operation) ?? firstPageRow(operation);
  const own =
    row === null ? contractStatuses(operation) : [row.success.status, ...Object.keys(errorsOf(row)).map(Number)];
  // Where the document declares no error codes, an unknown id gets 404 as everywhere else.
  const undeclared = row !== null && Object.keys(row.errors).length === 0 ? [404] : [];
  const listed = [...own, 401, ...undeclared, ...COMMON_STATUSES].filter((status) => status !== 500);
  expect(listed, answer.text.slice(0, MAX_SHOWN_CHARS)).toContain(answer.status);
  const documented = documentedStatuses(operation);
  expect([...documented, ...undeclared], answer.text.slice(0, MAX_SHOWN_CHARS)).toContain(answer.status);
  expect(isRefusal(answer)).toBe(answer.status >= 400);
  // Long or invalid URLs are refused before the operation, which determines the format of errors, is known.
  if (answer.status === 413 && /URL and headers of at most/.test(answer.text)) return;
  if (answer.status === 404 && /cannot be parsed/.test(answer.text)) return;
  if (row !== null) expectBodyOf(row, answer);
  else if (answer.status >= 400) expectErrorBody(operation, answer);
  else expectModel(operation, answer);
}

/** Statuses of an operation in our own document. */
function documentedStatuses({ path: address, method }: Real): number[] {
  const { responses } = OPENAPI.paths[address]?.[method.toLowerCase()] ?? {};
  return Object.keys(responses ?? {}).map(Number);
}

/** The first page of event logs is requested without a token; the document lists only the URL of further pages. */
function firstPageRow({ path }: Real): Row | null {
  const further = `${path}/{continuationToken}`;
  return rows.find((row) => row.path === further) ?? null;
}

function expectModel({ answer: model }: Real, { body, text }: Answer): void {
  if (model === null) expect(text).toBe('');
  else if (typeof model !== 'string') expect(Compile(model).Check(body)).toBe(true);
}

function contractStatuses({ answer, answerStatus = 200, refusals }: Real): number[] {
  return [answerStatus, ...(answer === 'feed' ? [304] : []), ...Object.values(refusals)];
}

async function send(operation: Real, request: FuzzRequest, things: Things): Promise<Answer> {
  const known = world.properKey(operation);
  const key = request.key === 'proper' ? known : request.key === 'junk' ? 'junk' : null;
  const query = [...(request.misfit === null ? [] : [request.misfit]), resolve(request.query)].join('&');
  return sender.send({
    method: operation.method,
    path: `${addressOf(operation, request, things)}${query === '' ? '' : `?${query}`}`,
    headers: { ...request.headers, ...(key !== null && { accesskey: key }) },
    body: typeof request.body === 'string' ? resolve(request.body) : request.body,
  });
}

/** Returns all text of a request that a response may quote. */
function wordsOf({ params, query, misfit, body }: FuzzRequest): string {
  const encoded = [...Object.values(params), misfit ?? '', query].join(' ');
  return `${encoded} ${querystring.unescape(encoded)} ${body === null ? '' : Buffer.from(body).toString('latin1')}`;
}

/** Returns the operation's path with the parameters of the request. Symbols become the ids of existing objects. */
function addressOf({ path }: Real, { params }: FuzzRequest, { own, foreign }: Things): string {
  const [ownParts, foreignParts] = [own.split('/'), foreign.split('/')];
  return path
    .split('/')
    .map((part, index) => {
      const wanted = part.startsWith('{') ? params[part.slice(1, -1)] : undefined;
      if (wanted === undefined) return part;
      return wanted.replaceAll(OWN, ownParts[index] ?? '').replaceAll(FOREIGN, foreignParts[index] ?? '');
    })
    .join('/');
}

function resolve(text: string): string {
  return text
    .replaceAll(OWN, collections.own)
    .replaceAll(FOREIGN, collections.foreign)
    .replaceAll(ORIGIN, world.origin.url);
}
