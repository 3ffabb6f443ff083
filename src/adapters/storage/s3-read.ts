import { addAbortSignal, Readable } from 'node:stream';
import { GetObjectCommand, type GetObjectCommandOutput, HeadObjectCommand } from '@aws-sdk/client-s3';
import { readableFrom } from '../../lib/readable-from.ts';
import { Refused } from '../../lib/refused.ts';
import { type ByteRange, type ObjectInfo, StorageAway, type StorageKey } from '../../ports/storage.ts';
import { sliceOf } from './bytes.ts';
import { answerOf, failureOf, locate, type S3Bucket } from './s3-bucket.ts';

/** Maximum number of consecutive attempts to resume an interrupted body without receiving a byte. */
const MAX_RESUMES = 3;

export type OpenedObject = { info: ObjectInfo; lengthBytes: number; body: Readable };

/** Opens an object or a checked range of it. */
export async function openS3Object(
  bucket: S3Bucket,
  { key, range }: { key: StorageKey; range: ByteRange | null },
  signal: AbortSignal,
): Promise<OpenedObject> {
  const answer = await get(bucket, { key, range, etag: null }, signal);
  if (answer === 'past-end') {
    const info = await headS3Object(bucket, key);
    if (info === null) throw absent(key);
    return { info, lengthBytes: 0, body: Readable.from([]) };
  }
  const info = infoOfAnswer(key, answer);
  const { start, lengthBytes } = sliceOf(range, info.sizeBytes);
  const first = bodyOf(answer);
  if (answer.ContentLength !== lengthBytes) {
    first.destroy();
    throw new Error(
      `Expected S3 to send ${lengthBytes} bytes of ${key}, got a Content-Length of ${answer.ContentLength}.`,
    );
  }
  const body = resumingBody(bucket, { info, first, start, lengthBytes }, signal);
  return { info, lengthBytes, body };
}

/** Returns the metadata of an object, or null if it does not exist. */
export async function headS3Object(bucket: S3Bucket, key: StorageKey): Promise<ObjectInfo | null> {
  const requested = answerOf(`report ${key}`, bucket.client.send(new HeadObjectCommand(locate(bucket, key))));
  const answer = await requested.catch((error: unknown) => {
    if (failureOf(error).status === 404) return null;
    throw error;
  });
  if (answer === null) return null;
  return infoFrom(key, { sizeBytes: answer.ContentLength, modifiedAt: answer.LastModified, etag: answer.ETag });
}

type Ask = { key: StorageKey; range: ByteRange | null; etag: string | null };

async function get(bucket: S3Bucket, ask: Ask, signal: AbortSignal): Promise<GetObjectCommandOutput | 'past-end'> {
  const { key, range, etag } = ask;
  const command = new GetObjectCommand({
    ...locate(bucket, key),
    ...(range === null ? {} : { Range: `bytes=${range.start}-${range.end === Infinity ? '' : range.end}` }),
    ...(etag === null ? {} : { IfMatch: `"${etag}"` }),
  });
  try {
    return await answerOf(`send ${key}`, bucket.client.send(command, { abortSignal: signal }));
  } catch (error) {
    signal.throwIfAborted();
    const { status } = failureOf(error);
    if (status === 404) throw absent(key);
    if (status === 416) return 'past-end';
    throw error;
  }
}

type Span = { info: ObjectInfo; first: Readable; start: number; lengthBytes: number };

/** Returns one stream that reads over as many connections as needed. It ends only after every byte was received. */
function resumingBody(bucket: S3Bucket, span: Span, signal: AbortSignal): Readable {
  const current = { stream: span.first, isClosed: false };
  const body = readableFrom(spanChunks(bucket, { ...span, current }, signal), () => {
    current.isClosed = true;
    current.stream.destroy();
  });
  return addAbortSignal(signal, body);
}

async function* spanChunks(
  bucket: S3Bucket,
  { info, start, lengthBytes, current }: Span & { current: { stream: Readable; isClosed: boolean } },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let sent = 0;
  let failures = 0;
  let chunks = chunkIterator(current.stream);
  while (sent < lengthBytes) {
    const step = await nextChunk(chunks);
    if (step.kind === 'chunk') {
      sent += step.chunk.length;
      failures = 0;
      if (sent > lengthBytes) throw new Error(`Expected ${lengthBytes} bytes of ${info.key}, got more.`);
      yield step.chunk;
      continue;
    }
    failures += 1;
    signal.throwIfAborted();
    if (current.isClosed) return;
    if (failures > MAX_RESUMES) {
      throw new StorageAway(`Expected ${lengthBytes} bytes of ${info.key}, got ${sent}.`, { cause: step.error });
    }
    const range = { start: start + sent, end: start + lengthBytes - 1 };
    const stream = await reopen(bucket, { info, range }, signal);
    if (current.isClosed) return void stream.destroy();
    current.stream = stream;
    chunks = chunkIterator(current.stream);
  }
}

async function reopen(
  bucket: S3Bucket,
  { info, range }: { info: ObjectInfo; range: ByteRange },
  signal: AbortSignal,
): Promise<Readable> {
  const answer = await get(bucket, { key: info.key, range, etag: info.etag }, signal);
  if (answer === 'past-end') throw new Error(`Expected ${info.key} to have byte ${range.end}, but it is shorter now.`);
  const body = bodyOf(answer);
  const now = infoOfAnswer(info.key, answer);
  const hasChanged = now.etag !== info.etag;
  if (hasChanged || !answer.ContentRange?.startsWith(`bytes ${range.start}-`)) {
    body.destroy();
    throw new Error(
      hasChanged
        ? `Expected ${info.key} with ETag ${info.etag}, got ${now.etag}. The object changed while it was read.`
        : `Expected ${info.key} from byte ${range.start}, got ${answer.ContentRange ?? 'the whole object'}.`,
    );
  }
  return body;
}

type Step = { kind: 'chunk'; chunk: Buffer } | { kind: 'broken'; error: unknown };

async function nextChunk(chunks: AsyncIterator<Buffer>): Promise<Step> {
  try {
    const next = await chunks.next();
    return next.done === true ? { kind: 'broken', error: undefined } : { kind: 'chunk', chunk: next.value };
  } catch (error) {
    return { kind: 'broken', error };
  }
}

function chunkIterator(stream: Readable): AsyncIterator<Buffer> {
  // A response without an encoding yields buffers.
  return stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
}

function bodyOf(answer: GetObjectCommandOutput): Readable {
  if (answer.Body instanceof Readable) return answer.Body;
  throw new Error(`Expected S3 to respond with a stream, got ${typeof answer.Body}.`);
}

function infoOfAnswer(key: StorageKey, answer: GetObjectCommandOutput): ObjectInfo {
  const total = answer.ContentRange?.match(/\/(\d+)$/)?.[1];
  const sizeBytes = total === undefined ? answer.ContentLength : Number(total);
  return infoFrom(key, { sizeBytes, modifiedAt: answer.LastModified, etag: answer.ETag });
}

type Facts = { sizeBytes: number | undefined; modifiedAt: Date | undefined; etag: string | undefined };

/** Converts the metadata of an object that S3 returns for head, get and list requests. */
export function infoFrom(key: StorageKey, { sizeBytes, modifiedAt, etag }: Facts): ObjectInfo {
  if (sizeBytes === undefined || modifiedAt === undefined || etag === undefined) {
    throw new Error(
      `Expected S3 to report size, time and ETag of ${key}, got ${sizeBytes}, ${modifiedAt?.toISOString()}, ${etag}.`,
    );
  }
  // List responses contain milliseconds, head responses do not. Round to whole seconds, so that both are equal.
  const wholeSeconds = new Date(Math.floor(modifiedAt.getTime() / 1000) * 1000);
  return { key, sizeBytes, modifiedAt: wholeSeconds, etag: etag.replace(/^"|"$/g, '') };
}

function absent(key: StorageKey): Refused {
  return new Refused('not-found', `No object is stored as ${key}.`);
}
