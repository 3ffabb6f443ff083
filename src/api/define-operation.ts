import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Permission } from '../catalog/people/permissions.ts';
import type { Caller } from '../catalog/people/person.ts';
import type { RefusalKind } from '../lib/error-catalogue.ts';
import { createNameRules, type NameRules } from './name-rules.ts';
import { isHosted } from './published-operations.ts';
import { type BodyCheck, type BodyPresence, readJsonBody, refuseStrayBody } from './read-json-body.ts';
import { readParams } from './read-params.ts';
import { readQuery } from './read-query.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Required credentials: `access-key` is a key of the library in the path (read-only keys may only GET), `account-key`
 * is the key of the account (account API), `none` is no key.
 */
export type Auth = 'access-key' | 'account-key' | 'none';

/**
 * Format of the body of refusals with status 400 and 422: StatusModel, StatusModelOfListOfString, a JSON string, a
 * caption validation, or no body. `core` writes every refusal as ApiErrorData, `status-throughout` writes every refusal
 * as StatusModel, including that of a missing key.
 */
export type ErrorShape =
  | 'status'
  | 'status-throughout'
  | 'list'
  | 'text'
  | 'captions'
  | 'empty'
  | 'core'
  | 'event-log'
  | 'problem';

/** Body of an operation: JSON of a model, raw bytes, or none. */
export type BodyContract = TSchema | 'raw' | null;

/** Body of a successful response: JSON of a model, server-sent events, CSV, bytes, a feed, or none. */
export type AnswerContract = TSchema | 'events' | 'csv' | 'bytes' | 'feed' | null;

/** A feed in RSS 2.0. A private one is not for shared caches. */
export type FeedAnswer = { text: string; isPrivate: boolean };

/** The contract of an operation as written in its file. */
type Definition<P extends TObject, Q extends TObject, B extends BodyContract, A extends AnswerContract> = {
  /** Name of the operation in documents: a verb and a noun in camel case. */
  name: string;
  method: Method;
  /** Path with `{name}` for each of `params`. */
  path: string;
  /** Title in the OpenAPI document. Default: the words of `name`. */
  summary?: string;
  /** Description in the OpenAPI document, one or two sentences. */
  description: string;
  /** Query string of the example in the OpenAPI document, if the operation needs one. */
  exampleQuery?: string;
  auth: Auth;
  /** True if it changes nothing although its method is not GET, so the audit log omits it. */
  isRead?: true;
  /** Scope that a key needs. Default: `read` for GET, `write` for all other methods. */
  keyScope?: 'write';
  /** Permission that a signed-in person needs; catalog/people/permissions.ts lists its roles. */
  permission: Permission;
  params: P;
  /** Query parameters. If absent, the operation has none. */
  query?: Q;
  /** Query parameters that identify the changed object, with their names in the audit log. Default: none. */
  auditedQuery?: Readonly<Record<string, string>>;
  /** Model of the body, or `raw`. If absent, the operation takes no body. */
  body?: B;
  /**
   * Empty bodies that are accepted: with `optional`, a missing body, `null` or PHP's `[]`; with `maybe-missing`, only a
   * missing body; with `required`, none.
   */
  bodyPresence?: BodyPresence;
  /** Maximum JSON body in bytes. Default: 1 MiB. */
  bodyLimitBytes?: number;
  /** Checks that the body's model cannot express. */
  checkBody?: BodyCheck;
  /** Model of a successful response, or `events`, `csv`, `bytes` or `feed`, or null if it has no body. */
  answer: A;
  /** File name of a `csv` response. Default: the operation's name. */
  fileName?: string;
  /** Status of a successful response. Default: 200. */
  answerStatus?: number;
  /** Statuses of the operation's own refusals. 401, 408, 413, 429, 500, 503 and 507 belong to every operation. */
  refusals?: { readonly [K in RefusalKind]?: number };
  /** Format of refusals. Default: `status`. */
  errorShape?: ErrorShape;
};

/** The contract of an operation: everything that documents and conformance checks need. */
export type Contract<
  P extends TObject,
  Q extends TObject,
  B extends BodyContract,
  A extends AnswerContract,
> = Definition<P, Q, B, A> &
  Required<Pick<Definition<P, Q, B, A>, 'query' | 'body' | 'refusals' | 'errorShape'>> & {
    /** True if the operation exists in the hosted API. Clients of that API may send unknown fields and parameters. */
    isHosted: boolean;
  };

/** A request whose parts have been parsed. `signal` aborts when the caller disconnects or the server stops. */
export type Request<P, Q, B> = {
  params: P;
  query: Q;
  body: B;
  grant: Caller | null;
  /** The caller's Referer header, or else its Origin header, unchanged. */
  referrer: string | null;
  /** The caller's Range and If-Range headers, unchanged. */
  range: { wanted: string | null; ifVersion: string | null };
  /** The caller's address; behind a trusted proxy, the one that the proxy reports. */
  address: string;
  /** URL of the API as this caller reached it, from unverified headers. Send it only to this caller. */
  reachedUrl: string;
  signal: AbortSignal;
};

/** A file, or the part of it that the caller's Range header names. `etag` has quotes. */
export type FileAnswer = { body: Readable; etag: string; part: FilePart | null; lengthBytes: number };
export type FilePart = { start: number; sizeBytes: number };

type BodyOf<B extends BodyContract> = B extends 'raw' ? IncomingMessage : B extends TSchema ? Static<B> : null;
type AnswerOf<A extends AnswerContract> = A extends 'events' | 'csv'
  ? Readable
  : A extends 'bytes'
    ? Buffer | Readable | FileAnswer
    : A extends 'feed'
      ? FeedAnswer
      : A extends TSchema
        ? Static<A>
        : null;

/** A request before parsing. */
export type RawRequest = {
  params: unknown;
  queryText: string;
  message: IncomingMessage;
  grant: Caller | null;
  address: string;
  reachedUrl: string;
  signal: AbortSignal;
};

/**
 * An operation as a value, without its type parameters: the contract, and `handle`, which parses a request and runs the
 * action.
 */
export type Operation<Deps> = Contract<TObject, TObject, BodyContract, AnswerContract> & {
  handle(raw: RawRequest, deps: Deps): Promise<unknown>;
};

/** Preference of a client that has all unknown names refused (RFC 7240 section 4.4). */
const STRICT = /(?:^|[,;\s])handling\s*=\s*"?strict\b/i;

/** Defines an operation: its contract and its action. */
export function defineOperation<
  P extends TObject,
  A extends AnswerContract,
  Deps,
  Q extends TObject = TObject<Record<never, TSchema>>,
  B extends BodyContract = null,
>(
  operation: Definition<P, Q, B, A> & {
    run(request: Request<Static<P>, Static<Q>, BodyOf<B>>, deps: Deps): Promise<AnswerOf<A>>;
  },
): Operation<Deps> {
  const { run, query = Type.Object({}), body = null, errorShape = 'status', ...plain } = operation;
  const hosted = isHosted(plain);
  // Operations that are not part of the hosted API reject all unknown names.
  const refusals = { ...(!hosted && { invalid: 400 }), ...operation.refusals };
  const contract = { ...plain, query, body, refusals, errorShape, isHosted: hosted };
  const rules = createNameRules(contract);
  const strictRules = createNameRules({ ...contract, isHosted: false });
  const readBody = bodyReader(contract, rules);
  const readStrictBody = bodyReader(contract, strictRules);
  // The hosted API documents no refusal for an invalid page or order of a list.
  const fallsBack = contract.isHosted && contract.method === 'GET' && contract.refusals.invalid === undefined;
  const queryRules = { isHosted: contract.isHosted, fallsBack, names: rules, isStrict: false };
  const strictQueryRules = { ...queryRules, fallsBack: false, names: strictRules, isStrict: true };
  return {
    ...contract,
    async handle({ params, queryText, message, grant, address, reachedUrl, signal }, deps) {
      const isStrict = STRICT.test(String(message.headers.prefer ?? ''));
      const request = {
        params: readParams(contract.params, params),
        query: readQuery(contract.query, queryText, isStrict ? strictQueryRules : queryRules),
        body: await (isStrict ? readStrictBody : readBody)(message),
        grant,
        range: { wanted: message.headers.range ?? null, ifVersion: ifRangeOf(message) },
        referrer: message.headers.referer ?? message.headers.origin ?? null,
        address,
        reachedUrl,
        signal,
      };
      // Each part was just read with the schema from which its type is inferred.
      return run(request as Request<Static<P>, Static<Q>, BodyOf<B>>, deps);
    },
  };
}

function ifRangeOf({ headers }: IncomingMessage): string | null {
  const sent = headers['if-range'];
  return typeof sent === 'string' ? sent : null;
}

function bodyReader<P extends TObject, Q extends TObject, A extends AnswerContract>(
  contract: Contract<P, Q, BodyContract, A>,
  names: NameRules,
): (message: IncomingMessage) => Promise<unknown> {
  const {
    body,
    bodyPresence: presence = 'required',
    bodyLimitBytes: limitBytes = 2 ** 20,
    checkBody: check = () => [],
  } = contract;
  if (body === null) {
    if (contract.method === 'GET' || !names.areNeeded) return async () => null;
    return async (message) => {
      await refuseStrayBody(message, names, limitBytes);
      return null;
    };
  }
  if (body === 'raw') return async (message) => message;
  const wanted = { schema: body, validator: Compile(body), limitBytes, check, names, presence };
  return (message) => readJsonBody(message, wanted);
}
