import { createHash } from 'node:crypto';

export type TusLibrary = { url: string; libraryId: number; key: string };
export type Signature = Record<string, string>;

/** Returns the four headers that sign each request, for an hour from now by default. */
export function sign(
  { libraryId, key }: Pick<TusLibrary, 'libraryId' | 'key'>,
  videoId: string,
  expiresSec = Math.floor(Date.now() / 1000) + 3600,
): Signature {
  const signature = createHash('sha256').update(`${libraryId}${key}${expiresSec}${videoId}`).digest('hex');
  return {
    LibraryId: String(libraryId),
    VideoId: videoId,
    AuthorizationExpire: String(expiresSec),
    AuthorizationSignature: signature,
  };
}

const VERSION = { 'Tus-Resumable': '1.0.0' };

/** Opens an upload of a given length. Returns the response unchanged. */
export function post(
  library: TusLibrary,
  videoId: string,
  lengthBytes: number,
  headers: Record<string, string> = {},
): Promise<Response> {
  return create(library, videoId, { headers: { 'Upload-Length': String(lengthBytes), ...headers } });
}

/** Creates an upload with the given headers and body. Returns the response unchanged. */
export function create(
  library: TusLibrary,
  videoId: string,
  { headers, body }: { headers: Record<string, string>; body?: Uint8Array | ReadableStream },
): Promise<Response> {
  const init: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    headers: { ...VERSION, ...sign(library, videoId), ...headers },
    // The body requires bytes of an ArrayBuffer or a stream, which the type of Buffer does not distinguish.
    ...(body && { body: body as BodyInit }),
    duplex: 'half',
  };
  return fetch(`${library.url}/tusupload`, init);
}

/** One upload of one video. */
export type TusUpload = {
  url: string;
  head(): Promise<Response>;
  offset(): Promise<number>;
  patch(offset: number, bytes: Uint8Array | ReadableStream, headers?: Record<string, string>): Promise<Response>;
  remove(): Promise<Response>;
};

export async function open(library: TusLibrary, videoId: string, lengthBytes: number): Promise<TusUpload> {
  const answer = await post(library, videoId, lengthBytes);
  const url = answer.headers.get('Location');
  if (answer.status !== 201 || url === null) throw new Error(`POST answered ${answer.status}: ${await answer.text()}`);
  return at(url, sign(library, videoId));
}

export function at(url: string, signature: Signature): TusUpload {
  const ask = (method: string, headers: Record<string, string>, body?: Uint8Array | ReadableStream) => {
    const init: RequestInit & { duplex: 'half' } = {
      method,
      headers: { ...VERSION, ...signature, ...headers },
      // The body requires bytes of an ArrayBuffer or a stream, which the type of Buffer does not distinguish.
      ...(body && { body: body as BodyInit }),
      duplex: 'half',
    };
    return fetch(url, init);
  };
  return {
    url,
    head: () => ask('HEAD', {}),
    offset: async () => Number((await ask('HEAD', {})).headers.get('Upload-Offset')),
    patch: (offset, bytes, headers = {}) =>
      ask(
        'PATCH',
        { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': String(offset), ...headers },
        bytes,
      ),
    remove: () => ask('DELETE', {}),
  };
}
