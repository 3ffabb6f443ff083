import { ApiError, UnreachableError } from '../../../sdk/src/millrace.ts';
import { findRights, type Service } from '../client/find-rights.ts';
import { callTool } from './call-tool.ts';
import { listTools, type Tool } from './tools.ts';

/** A message of JSON-RPC 2.0 in the Model Context Protocol. */
type Message = { jsonrpc?: unknown; id?: unknown; method?: unknown; params?: unknown };
export type Reply = { jsonrpc: '2.0'; id: string | number | null } & (
  | { result: object }
  | { error: { code: number; message: string } }
);

/** Versions of the protocol whose messages are the same for a server that only has tools, newest first. */
export const VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
/** Maximum number of messages that are handled at the same time. */
export const MAX_CALLS = 8;
/** Error codes of JSON-RPC 2.0, section 5.1. */
const CODES = { parse: -32700, request: -32600, method: -32601, params: -32602, internal: -32603 };

const INSTRUCTIONS =
  'Tools of a Millrace video service. Each calls one operation of its HTTP API. Lists have pages. libraryId may be ' +
  'left out. Secrets in results are replaced by ***.';

export type SessionOptions = { version: string; readOnly: boolean; only: readonly string[] };

/** Answers the messages of one client. It keeps no state apart from the tools that its key may use. */
export class McpSession {
  readonly #service: Service;
  readonly #options: SessionOptions;
  readonly #running = new Map<string | number, AbortController>();
  readonly #closing = new AbortController();
  #tools: Promise<Tool[]> | null = null;

  constructor(service: Service, options: SessionOptions) {
    this.#service = service;
    this.#options = options;
  }

  /**
   * Handles one message, or several as a batch (JSON-RPC 2.0 section 6, version 2025-03-26 of the protocol). Resolves
   * to the replies, or to null if there are none: for notifications and cancelled requests. Never rejects.
   */
  async handle(text: string): Promise<Reply | Reply[] | null> {
    const parsed = parse(text);
    if (parsed === undefined) return fail(null, CODES.parse, 'Expected JSON.');
    if (!Array.isArray(parsed)) return await this.#handleOne(parsed);
    if (parsed.length === 0 || parsed.length > MAX_CALLS) {
      return fail(null, CODES.request, `Expected 1 to ${MAX_CALLS} messages in a batch, got ${parsed.length}.`);
    }
    const replies = await Promise.all(parsed.map((message) => this.#handleOne(message)));
    const sent = replies.filter((reply) => reply !== null);
    return sent.length === 0 ? null : sent;
  }

  async #handleOne(parsed: unknown): Promise<Reply | null> {
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
      return fail(null, CODES.request, 'Expected one JSON object.');
    }
    const message: Message = parsed;
    const { id, method, params } = message;
    if (message.jsonrpc !== '2.0' || typeof method !== 'string') {
      return fail(readId(id), CODES.request, 'Expected a JSON-RPC 2.0 request.');
    }
    if (id === undefined) {
      if (method === 'notifications/cancelled') this.#cancel(Object(params).requestId);
      return null;
    }
    const known = readId(id);
    if (known === null) return fail(null, CODES.request, 'Expected an id that is a text or a number.');
    return await this.#answer(known, method, Object(params));
  }

  /** Aborts all calls. */
  close(): void {
    this.#closing.abort();
    for (const controller of this.#running.values()) controller.abort();
  }

  /** Returns null for a request that its client cancelled, because the client expects no reply. */
  async #answer(id: string | number, method: string, params: Record<string, unknown>): Promise<Reply | null> {
    const controller = new AbortController();
    if (this.#running.size >= MAX_CALLS) {
      return fail(id, CODES.internal, `Expected at most ${MAX_CALLS} requests at a time. Try again later.`);
    }
    this.#running.set(id, controller);
    try {
      const result = await this.#run(method, params, controller.signal);
      return result === null ? fail(id, CODES.method, `There is no method ${method}.`) : { jsonrpc: '2.0', id, result };
    } catch (error) {
      if (controller.signal.aborted) return null;
      if (error instanceof InvalidParams) return fail(id, CODES.params, error.message);
      if (error instanceof ApiError || error instanceof UnreachableError) {
        return fail(id, CODES.internal, error.message);
      }
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      return fail(id, CODES.internal, 'The call failed. The error output of millrace mcp has the reason.');
    } finally {
      this.#running.delete(id);
    }
  }

  async #run(method: string, params: Record<string, unknown>, signal: AbortSignal): Promise<object | null> {
    switch (method) {
      case 'initialize':
        return this.#initialize(params);
      case 'ping':
        return {};
      case 'tools/list':
        return { tools: (await this.#loadTools()).map(({ route: _, ...tool }) => tool) };
      case 'tools/call':
        return await this.#call(params, signal);
      default:
        return null;
    }
  }

  #initialize({ protocolVersion }: Record<string, unknown>): object {
    return {
      protocolVersion: VERSIONS.find((version) => version === protocolVersion) ?? VERSIONS[0],
      capabilities: { tools: {} },
      serverInfo: { name: 'millrace', title: 'Millrace', version: this.#options.version },
      instructions: INSTRUCTIONS,
    };
  }

  async #call({ name, arguments: input }: Record<string, unknown>, signal: AbortSignal): Promise<object> {
    const tool = (await this.#loadTools()).find((each) => each.name === name);
    if (tool === undefined) {
      throw new InvalidParams(`This key has no tool ${JSON.stringify(name)}. tools/list returns the names.`);
    }
    return await callTool(this.#service, { tool, input: Object(input) }, signal);
  }

  #loadTools(): Promise<Tool[]> {
    const { readOnly, only } = this.#options;
    // All requests share the result, so the cancellation of one must not end it.
    this.#tools ??= findRights(this.#service, this.#closing.signal).then(({ account, write }) =>
      listTools({ account, write: write && !readOnly }, only),
    );
    // A later request tries again after a failure.
    this.#tools.catch(() => {
      this.#tools = null;
    });
    return this.#tools;
  }

  #cancel(id: unknown): void {
    const known = readId(id);
    if (known !== null) this.#running.get(known)?.abort();
  }
}

class InvalidParams extends Error {}

/** Returns undefined for text that is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readId(id: unknown): string | number | null {
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function fail(id: string | number | null, code: number, message: string): Reply {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
