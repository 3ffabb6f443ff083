import { createHash, createHmac } from 'node:crypto';
import type { SignatureV4 } from '@smithy/signature-v4';
import type { SourceRequest } from '../import-source.ts';
import type { FileRequest } from '../source-client.ts';

/** Lifetime of a signed URL in s. A transfer that takes longer is signed again. */
const SIGNED_SEC = 24 * 3600;

/** Hash for the signer, as the AWS SDK defines it. */
class Sha256 {
  readonly #hash: { update(data: Uint8Array | string): unknown; digest(): Buffer };

  constructor(secret?: unknown) {
    // The signer passes a text or bytes.
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as string | Uint8Array);
  }

  update(data: Uint8Array | string): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
}

async function signerOf({ accessKey, secretKey, region }: SourceRequest): Promise<SignatureV4> {
  const { SignatureV4: Signer } = await import('@smithy/signature-v4');
  const credentials = { accessKeyId: accessKey ?? '', secretAccessKey: secretKey ?? '' };
  // `uriEscapePath` is false, because the caller has already escaped the path.
  const hash = Sha256 as unknown as ConstructorParameters<typeof Signer>[0]['sha256'];
  return new Signer({ service: 's3', region: region ?? 'us-east-1', credentials, sha256: hash, uriEscapePath: false });
}

/** Returns a presigned request (AWS Signature Version 4) for an object, or for a list if the key is empty. */
export async function signObject(
  request: SourceRequest,
  key: string,
  query: Record<string, string>,
): Promise<FileRequest> {
  const { apiUrl, bucket } = request;
  const base = new URL(apiUrl);
  const escaped = [bucket ?? '', ...(key === '' ? [] : key.split('/'))].map(escapePart).join('/');
  const path = `${base.pathname.replace(/\/+$/, '')}/${escaped}`;
  const headers = { host: base.host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
  const port = base.port === '' ? {} : { port: Number(base.port) };
  const unsigned = { method: 'GET', protocol: base.protocol, hostname: base.hostname, ...port, path, query, headers };
  const signer = await signerOf(request);
  const { query: signedQuery = {} } = await signer.presign(unsigned, { expiresIn: SIGNED_SEC });
  const pairs = Object.entries(signedQuery).map(([name, value]) => `${escapePart(name)}=${escapePart(String(value))}`);
  return { url: `${base.origin}${path}?${pairs.join('&')}`, headers: {} };
}

/** Escapes all but the unreserved characters of RFC 3986, as the signature expects. */
function escapePart(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
