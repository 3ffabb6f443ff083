import type { RelayRequest } from '../../catalog/live/live-stream.ts';

/** Destination of a relay. */
export type RelayTarget = {
  host: string;
  port: number;
  isSecure: boolean;
  app: string;
  streamKey: string;
  tcUrl: string;
};

const USUAL_PORT = 1935;
const SECURE_PORT = 443;

/**
 * Parses a relay: either one URL whose last part is the stream key, or an endpoint and a key. Returns null if the URL
 * is not RTMP or RTMPS.
 */
export function readRelayTarget(relay: RelayRequest): RelayTarget | null {
  const text =
    typeof relay === 'string' ? relay : `${(relay.endpoint ?? '').replace(/\/+$/, '')}/${relay.streamKey ?? ''}`;
  // `URL` also parses the host and port of unknown schemes.
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'rtmp:' && url.protocol !== 'rtmps:') || url.hostname === '') return null;
  const parts = url.pathname.split('/').filter((part) => part !== '');
  const name = parts.pop();
  if (name === undefined || parts.length === 0) return null;
  const isSecure = url.protocol === 'rtmps:';
  const port = url.port === '' ? (isSecure ? SECURE_PORT : USUAL_PORT) : Number(url.port);
  const app = parts.join('/');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { host, port, isSecure, app, streamKey: `${name}${url.search}`, tcUrl: `${url.protocol}//${url.host}/${app}` };
}
