import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { GuardedAgents } from '../../lib/outbound/guarded-agents.ts';
import { Refused } from '../../lib/refused.ts';
import { StorageAway } from '../../ports/storage.ts';

/** Access keys as in the `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN` variables. */
export type S3Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };

export type S3Options = {
  /** Location as `s3://bucket?endpoint=https://host&region=eu-central-1&prefix=media/`. Only the bucket is required. */
  url: string;
  /** Null lets the SDK search for credentials: a role of the machine or a profile. */
  credentials: S3Credentials | null;
  /** Time after which a request without a response is retried, in ms. */
  requestTimeoutMs?: number;
  /** Time after which a connection without traffic is dropped, in ms. */
  idleTimeoutMs?: number;
  /** Maximum number of times that a request is sent. */
  maxAttempts?: number;
  /** Agents that make the connections. Default: agents that connect to any address. */
  agents?: GuardedAgents;
};

/** A bucket that is ready to be used, and the features that it lacks. */
export type S3Bucket = {
  client: S3Client;
  name: string;
  /** Prefix of every key. It is empty or ends with a slash. */
  prefix: string;
  lacks: { bulkDelete: boolean; partCopy: boolean };
};

const PARAMETERS = new Set(['endpoint', 'region', 'prefix']);

/** Parses the URL and creates the client. Does not connect. Throws an `Error` that describes the problem. */
export function openBucket(options: S3Options): S3Bucket {
  const { name, endpoint, region, prefix } = parseS3Url(options.url);
  const config: S3ClientConfig = {
    region,
    // Many S3 engines reject the checksum trailers that the SDK sends by default (Ceph: MissingContentLength).
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: options.maxAttempts ?? 4,
    retryMode: 'standard',
    requestHandler: {
      connectionTimeout: 5_000,
      requestTimeout: options.requestTimeoutMs ?? 60_000,
      throwOnRequestTimeout: true,
      socketTimeout: options.idleTimeoutMs ?? 60_000,
      httpAgent: options.agents?.http ?? { keepAlive: true, maxSockets: 256 },
      httpsAgent: options.agents?.https ?? { keepAlive: true, maxSockets: 256 },
    },
  };
  // With a custom endpoint, the bucket is rarely part of the host name.
  if (endpoint !== null) Object.assign(config, { endpoint, forcePathStyle: true });
  if (options.credentials !== null) config.credentials = options.credentials;
  return { client: new S3Client(config), name, prefix, lacks: { bulkDelete: false, partCopy: false } };
}

type S3Address = { name: string; endpoint: string | null; region: string; prefix: string };

/** Parses an `s3:` URL. */
export function parseS3Url(text: string): S3Address {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.protocol !== 's3:' || !/^[a-z0-9][a-z0-9.-]{1,62}$/.test(url.hostname)) {
    throw new Error(`Expected storage as s3://bucket?endpoint=…&region=…&prefix=…, got ${JSON.stringify(text)}.`);
  }
  if (url.username !== '' || url.port !== '' || !['', '/'].includes(url.pathname)) {
    throw new Error(
      'Expected an s3: URL with only a bucket. Endpoint and prefix are parameters. Keys must not be in the URL.',
    );
  }
  for (const parameter of url.searchParams.keys()) {
    if (!PARAMETERS.has(parameter))
      throw new Error(`Expected endpoint, region or prefix in ${text}, got "${parameter}".`);
  }
  const endpoint = url.searchParams.get('endpoint');
  if (endpoint !== null && !/^https?:\/\/[^/]/.test(endpoint)) {
    throw new Error(`Expected the S3 endpoint to begin with http:// or https://, got ${JSON.stringify(endpoint)}.`);
  }
  const prefix = (url.searchParams.get('prefix') ?? '').replace(/^\/+|\/+$/g, '');
  if (!/^[A-Za-z0-9._/-]{0,200}$/.test(prefix)) {
    throw new Error(`Expected an S3 prefix of [A-Za-z0-9._/-], at most 200 characters, got ${JSON.stringify(prefix)}.`);
  }
  const region = url.searchParams.get('region') ?? 'us-east-1';
  return { name: url.hostname, endpoint, region, prefix: prefix === '' ? '' : `${prefix}/` };
}

/** Returns the bucket and the full name of an object, as all commands expect them. */
export function locate(bucket: S3Bucket, key: string): { Bucket: string; Key: string } {
  return { Bucket: bucket.name, Key: bucket.prefix + key };
}

/** Waits for the response to a command. Errors contain the action and the response. */
export async function answerOf<T>(action: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (isFull(error))
      throw new Refused('disk-full', 'The storage is full. Free some space and send the bytes again.', {
        cause: error,
      });
    const { status, name, attempts } = failureOf(error);
    if (status === null && name === 'AbortError') throw error;
    const got = status === null ? describeSilence(error) : `${status} ${name}`;
    const message = `Expected S3 to ${action}, got ${got} after ${attempts} attempts.`;
    if (isAway(status, name)) throw new StorageAway(message, { cause: error });
    throw new S3Failure(message, { cause: error });
  }
}

/** Returns the reason why S3 did not respond. */
function describeSilence(error: unknown): string {
  const { code, message }: { code?: unknown; message?: unknown } = Object(error);
  const fault = typeof code === 'string' ? describeProtocol(code) : null;
  const [reason = ''] = String(message).split('\n', 1);
  return fault ?? (typeof code === 'string' ? `${code} (${reason})` : failureOf(error).name);
}

/** Describes the protocol mismatch that an error code of Node indicates. Returns null for any other code. */
function describeProtocol(code: string): string | null {
  if (code === 'EPROTO') return 'no TLS from the endpoint (EPROTO): it may speak http://';
  return code.startsWith('HPE_') ? `a response that is not HTTP (${code}): another program uses this port` : null;
}

/**
 * Returns whether the store counts as unavailable: there was no response, a response to try again later, or a problem
 * with the bucket or the credentials that an operator has to fix.
 */
function isAway(status: number | null, name: string): boolean {
  if (status === null || status >= 500) return true;
  return [401, 403, 408, 429].includes(status) || name === 'NoSuchBucket';
}

/** Thrown if S3 did not carry out a command. `cause` is the error of the SDK. */
class S3Failure extends Error {
  constructor(message: string, options: ErrorOptions) {
    super(message, options);
    this.name = 'S3Failure';
  }
}

export type Failure = { status: number | null; name: string; attempts: number };

/**
 * Returns the details of a failed command: HTTP status (null without a response), error code of S3, and number of
 * attempts.
 */
export function failureOf(error: unknown): Failure {
  const cause = error instanceof S3Failure || error instanceof StorageAway ? error.cause : error;
  if (!(cause instanceof Error)) return { status: null, name: String(cause), attempts: 1 };
  // Every error of the SDK has `$metadata`. In other errors it is undefined.
  const metadata = (cause as { $metadata?: { httpStatusCode?: number; attempts?: number } }).$metadata;
  return { status: metadata?.httpStatusCode ?? null, name: cause.name, attempts: metadata?.attempts ?? 1 };
}

/** Error codes of S3, and the name of an SDK error, for access keys that are missing or refused. */
const KEYS_REFUSED = [
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'AccessDenied',
  'Forbidden',
  'ExpiredToken',
  'CredentialsProviderError',
];

/** Returns a sentence with the setting that the operator has to correct, or null for any other failure. */
export function describeS3Fault(error: unknown): string | null {
  const { name } = failureOf(error);
  const { code }: { code?: unknown } = Object(error instanceof Error ? error.cause : null);
  const fault = typeof code === 'string' ? describeProtocol(code) : null;
  if (fault !== null) return `MILLRACE_STORAGE: expected an endpoint that speaks S3, got ${fault}.`;
  if (name === 'NoSuchBucket') return 'MILLRACE_STORAGE: the bucket does not exist, create it first.';
  if (!KEYS_REFUSED.includes(name)) return null;
  return (
    'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: expected keys that may use the bucket of MILLRACE_STORAGE, S3 ' +
    `answered ${name}.`
  );
}

function isFull(error: unknown): boolean {
  const { status, name } = failureOf(error);
  return status === 507 || name === 'QuotaExceeded' || name === 'XMinioStorageFull';
}
