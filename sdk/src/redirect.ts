/*
 * Redirects requests for the hosted service to Millrace, for Node programs whose client has a hard-coded URL: `node
 * --import millrace-sdk/redirect app.js`. It replaces `fetch`, so it affects every client that uses `fetch`. The
 * settings have the same names as those of the Terraform provider.
 */

type Settings = { BUNNYNET_STREAM_API_URL?: string; BUNNYNET_API_URL?: string };

const settings: Settings = Object(Reflect.get(globalThis, 'process')).env ?? {};
const stream: string | undefined = settings.BUNNYNET_STREAM_API_URL ?? settings.BUNNYNET_API_URL;
const core: string | undefined = settings.BUNNYNET_API_URL ?? settings.BUNNYNET_STREAM_API_URL;
if (stream === undefined || core === undefined)
  throw new Error('Expected BUNNYNET_STREAM_API_URL, the URL of Millrace, got none. Set it.');

/** Base URLs of Millrace by the host name that they replace. */
const TARGETS: ReadonlyMap<string, URL> = new Map([
  ['video.bunnycdn.com', new URL(stream)],
  ['api.bunny.net', new URL(core)],
]);

const original: typeof fetch = globalThis.fetch;

globalThis.fetch = (input, init) => {
  const sent = input instanceof Request ? input.url : String(input);
  const target = URL.canParse(sent) ? TARGETS.get(new URL(sent).hostname) : undefined;
  if (target === undefined) return original(input, init);
  const { pathname, search } = new URL(sent);
  const address = `${target.href.replace(/\/+$/, '')}${pathname}${search}`;
  return input instanceof Request ? original(new Request(address, input), init) : original(address, init);
};
