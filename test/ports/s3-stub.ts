import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type StubObject = { bytes: Buffer; etag: string; modifiedAt: Date };

export type StubCall = { operation: string; key: string; headers: IncomingMessage['headers'] };

/**
 * Fault of the stub in place of a response: an error status, a connection reset before or after the action, half of the
 * body (by a cut connection or a shorter announced length), silence, a wrong ETag.
 */
export type Fault =
  | { status: number; code: string }
  | 'reset'
  | 'lose-answer'
  | 'cut-body'
  | 'short-body'
  | 'silence'
  | 'wrong-etag';

type Upload = { key: string; initiatedAt: Date; parts: Map<number, StubObject> };

type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  key: string;
  query: URLSearchParams;
  body: Buffer;
  fault: Fault | null;
};

export type S3Stub = Awaited<ReturnType<typeof startS3Stub>>;

/** Starts a small S3 engine in memory that fails on command. It supports conditions, ranges and Content-MD5. */
export async function startS3Stub() {
  const objects = new Map<string, StubObject>();
  const uploads = new Map<string, Upload>();
  const calls: StubCall[] = [];
  const faults: { operation: string; fault: Fault }[] = [];
  const lacks = new Set<string>();
  let isAway = false;
  const state: State = { objects, uploads, lacks, pageKeys: 1000 };
  const server = createServer((request, response) => {
    void exchange(request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://stub');
    const key = decodeURIComponent(url.pathname.split('/').slice(2).join('/'));
    const operation = operationOf(request, key, url.searchParams);
    calls.push({ operation, key, headers: request.headers });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (isAway) {
      request.socket.destroy();
      return;
    }
    const index = faults.findIndex((planned) => planned.operation === operation);
    const fault = index < 0 ? null : (faults.splice(index, 1)[0]?.fault ?? null);
    const body = Buffer.concat(chunks);
    answer(state, operation, { request, response, key, query: url.searchParams, body, fault });
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `s3://bucket?endpoint=http://127.0.0.1:${port}&prefix=media`,
    ...state,
    state,
    ...{ calls, faults },
    /** Plans a fault for the next call of an operation. Several faults queue up. */
    fail(operation: string, ...planned: Fault[]): void {
      faults.push(...planned.map((fault) => ({ operation, fault })));
    },
    /** While `away`, closes each connection without a response. */
    setAway(away: boolean): void {
      isAway = away;
    },
    countOf: (operation: string) => calls.filter((call) => call.operation === operation).length,
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type State = { objects: Map<string, StubObject>; uploads: Map<string, Upload>; lacks: Set<string>; pageKeys: number };

function operationOf({ method, headers }: IncomingMessage, key: string, query: URLSearchParams): string {
  if (method === 'GET') {
    if (query.has('uploads')) return 'ListUploads';
    if (query.has('uploadId')) return 'ListParts';
    return key === '' ? 'List' : 'Get';
  }
  if (method === 'HEAD') return 'Head';
  if (method === 'DELETE') return query.has('uploadId') ? 'AbortUpload' : 'Delete';
  if (method === 'POST') {
    if (query.has('delete')) return 'BulkDelete';
    return query.has('uploads') ? 'CreateUpload' : 'CompleteUpload';
  }
  if (query.has('uploadId')) return headers['x-amz-copy-source'] === undefined ? 'Part' : 'PartCopy';
  return 'Put';
}

function answer(state: State, operation: string, exchange: Exchange): void {
  const { request, response, fault } = exchange;
  if (fault === 'silence') return;
  if (fault === 'reset') {
    request.socket.resetAndDestroy();
    return;
  }
  const reply = isError(fault) ? { status: fault.status, error: fault.code } : replyTo(state, operation, exchange);
  if (fault === 'lose-answer') request.socket.resetAndDestroy();
  else if ('error' in reply) sendError(response, reply.status, reply.error);
  else sendReply(exchange, reply);
}

function isError(fault: Fault | null): fault is { status: number; code: string } {
  return fault !== null && typeof fault === 'object';
}

function replyTo(state: State, operation: string, exchange: Exchange): Reply {
  const { request, body } = exchange;
  if (request.headers['content-encoding'] === 'aws-chunked') return { status: 411, error: 'MissingContentLength' };
  const action = state.lacks.has(operation) ? undefined : ACTIONS[operation];
  if (action === undefined) return { status: 501, error: 'NotImplemented' };
  const md5 = request.headers['content-md5'];
  if (md5 !== undefined && createHash('md5').update(body).digest('base64') !== md5) {
    return { status: 400, error: 'BadDigest' };
  }
  return action(state, exchange);
}

type Reply =
  | { status: number; error: string }
  | { status: number; headers?: Record<string, string | number>; body?: string | Buffer };

const ACTIONS: Record<string, (state: State, exchange: Exchange) => Reply> = {
  Put({ objects }, { request, key, body }) {
    if (request.headers['if-none-match'] === '*' && objects.has(key))
      return { status: 412, error: 'PreconditionFailed' };
    const object = store(objects, key, body);
    return { status: 200, headers: { etag: `"${object.etag}"` } };
  },
  Get({ objects }, { request, key }) {
    const object = objects.get(key);
    if (object === undefined) return { status: 404, error: 'NoSuchKey' };
    const match = request.headers['if-match'];
    if (match !== undefined && match !== `"${object.etag}"`) return { status: 412, error: 'PreconditionFailed' };
    const size = object.bytes.length;
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
    if (range === null) return { status: 200, headers: factsOf(object), body: object.bytes };
    const start = Number(range[1]);
    const end = Math.min(range[2] === '' ? size - 1 : Number(range[2]), size - 1);
    if (start >= size) return { status: 416, error: 'InvalidRange' };
    const headers = { ...factsOf(object), 'content-range': `bytes ${start}-${end}/${size}` };
    return { status: 206, headers, body: object.bytes.subarray(start, end + 1) };
  },
  Head({ objects }, { key }) {
    const object = objects.get(key);
    if (object === undefined) return { status: 404, body: '' };
    return { status: 200, headers: { ...factsOf(object), 'content-length': object.bytes.length } };
  },
  Delete({ objects }, { key }) {
    objects.delete(key);
    return { status: 204 };
  },
  BulkDelete({ objects }, { body }) {
    for (const [, key] of body.toString().matchAll(/<Key>([^<]+)<\/Key>/g)) objects.delete(key ?? '');
    return { status: 200, body: '<DeleteResult></DeleteResult>' };
  },
  List({ objects, pageKeys }, { query }) {
    const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
    const keys = [...objects.keys()]
      .filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after)
      .sort(byCodeUnit);
    const page = keys.slice(0, Math.min(Number(query.get('max-keys')), pageKeys));
    const written = (key: string) => (query.get('encoding-type') === 'url' ? encodeURIComponent(key) : key);
    const entries = page.map((key) => {
      const object = objects.get(key) as StubObject; // The key was listed from the same map.
      const facts = `<LastModified>${object.modifiedAt.toISOString()}</LastModified><ETag>"${object.etag}"</ETag>`;
      return `<Contents><Key>${written(key)}</Key>${facts}<Size>${object.bytes.length}</Size></Contents>`;
    });
    const isTruncated = page.length < keys.length;
    const token = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    const encoding = query.get('encoding-type') === 'url' ? '<EncodingType>url</EncodingType>' : '';
    const list = `${encoding}<IsTruncated>${isTruncated}</IsTruncated>${token}${entries.join('')}`;
    return { status: 200, body: `<ListBucketResult>${list}</ListBucketResult>` };
  },
  CreateUpload({ uploads }, { key }) {
    const id = `upload${uploads.size}${Math.random().toString(36).slice(2)}`;
    uploads.set(id, { key, initiatedAt: new Date(), parts: new Map() });
    return {
      status: 200,
      body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    };
  },
  Part({ uploads }, { query, body }) {
    const upload = uploads.get(query.get('uploadId') ?? '');
    if (upload === undefined) return { status: 404, error: 'NoSuchUpload' };
    const part = objectOf(body);
    upload.parts.set(Number(query.get('partNumber')), part);
    return { status: 200, headers: { etag: `"${part.etag}"` } };
  },
  PartCopy({ uploads, objects }, { request, query }) {
    const upload = uploads.get(query.get('uploadId') ?? '');
    const source = objects.get(
      decodeURIComponent(String(request.headers['x-amz-copy-source'])).replace(/^\/?[^/]+\//, ''),
    );
    if (upload === undefined || source === undefined) return { status: 404, error: 'NoSuchKey' };
    upload.parts.set(Number(query.get('partNumber')), source);
    const modified = source.modifiedAt.toISOString();
    return {
      status: 200,
      body: `<CopyPartResult><LastModified>${modified}</LastModified><ETag>"${source.etag}"</ETag></CopyPartResult>`,
    };
  },
  CompleteUpload({ uploads, objects }, { request, key, query, body }) {
    const id = query.get('uploadId') ?? '';
    const upload = uploads.get(id);
    if (upload === undefined) return { status: 404, error: 'NoSuchUpload' };
    if (request.headers['if-none-match'] === '*' && objects.has(key))
      return { status: 412, error: 'PreconditionFailed' };
    const wanted = [...body.toString().matchAll(/<Part>.*?<\/Part>/gs)].map(([part]) => partOf(part));
    const parts = wanted.map(({ number, etag }) =>
      upload.parts.get(number)?.etag === etag ? upload.parts.get(number) : undefined,
    );
    const found = parts.filter((part) => part !== undefined);
    if (found.length !== parts.length || found.length === 0) return { status: 400, error: 'InvalidPart' };
    if (found.slice(0, -1).some((part) => part.bytes.length < 5 * 1024 * 1024))
      return { status: 400, error: 'EntityTooSmall' };
    const md5s = Buffer.concat(found.map((part) => Buffer.from(part.etag, 'hex')));
    const etag = `${createHash('md5').update(md5s).digest('hex')}-${found.length}`;
    objects.set(key, { bytes: Buffer.concat(found.map((part) => part.bytes)), etag, modifiedAt: new Date() });
    uploads.delete(id);
    return {
      status: 200,
      body: `<CompleteMultipartUploadResult><ETag>"${etag}"</ETag></CompleteMultipartUploadResult>`,
    };
  },
  AbortUpload({ uploads }, { query }) {
    return uploads.delete(query.get('uploadId') ?? '') ? { status: 204 } : { status: 404, error: 'NoSuchUpload' };
  },
  ListUploads({ uploads }, { query }) {
    const entries = [...uploads].map(([id, { key, initiatedAt }]) => {
      const entry = `<Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${initiatedAt.toISOString()}</Initiated>`;
      return key.startsWith(query.get('prefix') ?? '') ? `<Upload>${entry}</Upload>` : '';
    });
    return { status: 200, body: `<ListMultipartUploadsResult>${entries.join('')}</ListMultipartUploadsResult>` };
  },
  ListParts({ uploads }, { query }) {
    const parts = [...(uploads.get(query.get('uploadId') ?? '')?.parts ?? [])].map(([number, part]) => {
      const modified = part.modifiedAt.toISOString();
      return `<Part><PartNumber>${number}</PartNumber><LastModified>${modified}</LastModified></Part>`;
    });
    return { status: 200, body: `<ListPartsResult>${parts.join('')}</ListPartsResult>` };
  },
};

function partOf(xml: string): { number: number; etag: string } {
  const etag = /<ETag>(.*?)<\/ETag>/.exec(xml)?.[1] ?? '';
  return { number: Number(/<PartNumber>(\d+)/.exec(xml)?.[1]), etag: etag.replaceAll(/"|&quot;/g, '') };
}

function objectOf(bytes: Buffer): StubObject {
  return { bytes, etag: createHash('md5').update(bytes).digest('hex'), modifiedAt: new Date() };
}

function store(objects: Map<string, StubObject>, key: string, bytes: Buffer): StubObject {
  const object = objectOf(bytes);
  objects.set(key, object);
  return object;
}

function factsOf({ etag, modifiedAt }: StubObject): Record<string, string> {
  return { etag: `"${etag}"`, 'last-modified': modifiedAt.toUTCString() };
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : 1;
}

function sendError(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}

function sendReply({ request, response, fault }: Exchange, reply: Exclude<Reply, { error: string }>): void {
  const body = Buffer.from(reply.body ?? '');
  const headers: Record<string, string | number> = { 'content-length': body.length, ...reply.headers };
  if (fault === 'wrong-etag') headers.etag = '"00000000000000000000000000000000"';
  if (fault === 'short-body') headers['content-length'] = Math.floor(body.length / 2);
  response.writeHead(reply.status, headers);
  if (fault === 'cut-body') {
    response.write(body.subarray(0, Math.floor(body.length / 2)), () => request.socket.destroy());
    return;
  }
  response.end(fault === 'short-body' ? body.subarray(0, Math.floor(body.length / 2)) : body);
}
