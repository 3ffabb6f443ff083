import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { Refused } from '../../lib/refused.ts';
import { readVersion } from '../../lib/version.ts';
import { options as clientOptions, openContext } from '../client/context.ts';
import { serveHttp } from './serve-http.ts';
import { MAX_CALLS, McpSession, type SessionOptions } from './session.ts';

/** Time for which calls may continue after the client closed stdin, in ms. */
const STOP_MS = 5_000;

const { url, key, library, profile } = clientOptions;
const options = {
  ...{ url, key, library, profile },
  port: { type: 'string' },
  'read-only': { type: 'boolean' },
  tools: { type: 'string' },
} as const;

/**
 * `millrace mcp`: serves the operations of the API as tools of the Model Context Protocol, over stdin and stdout. With
 * `--port`, over HTTP on this machine instead.
 */
export async function mcp(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options });
  const shared = (['url', 'key', 'library', 'profile'] as const).flatMap((name) =>
    values[name] === undefined ? [] : [`--${name}`, values[name]],
  );
  const context = await openContext(shared, { isOptional: false });
  const session: SessionOptions = {
    version: readVersion(),
    readOnly: values['read-only'] === true,
    only: values.tools?.split(',').map((name) => name.trim()) ?? [],
  };
  const service = { url: context.url, key: context.key === '' ? null : context.key, library: context.library };
  if (values.port === undefined) await serveStdio(new McpSession(service, session));
  else await serveHttp({ ...service, port: readPort(values.port) }, session);
  return 0;
}

/** Serves one client, one message per line, until stdin ends. */
async function serveStdio(session: McpSession): Promise<void> {
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  const open = new Set<Promise<void>>();
  for await (const line of lines) {
    if (line.trim() === '') continue;
    // Later messages wait in the pipe.
    while (open.size >= MAX_CALLS) await Promise.race(open);
    const done = session.handle(line).then((reply) => {
      if (reply !== null) process.stdout.write(`${JSON.stringify(reply)}\n`);
    });
    open.add(done);
    void done.finally(() => open.delete(done));
  }
  const cut = setTimeout(() => session.close(), STOP_MS);
  await Promise.all(open);
  clearTimeout(cut);
}

function readPort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new Refused('invalid', `expected --port from 0 to 65535, got ${text}.`);
}
