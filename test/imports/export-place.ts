import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { parseS3Url } from '../../src/adapters/storage/s3-bucket.ts';
import { openRealS3 } from '../ports/real-s3.ts';
import { startS3Stub } from '../ports/s3-stub.ts';

const real = openRealS3();

/** Name of the engine of `openExportPlace`, for test titles. */
export const ENGINE = real?.name ?? 'scripted engine';

/** Size, ETag and time of each object, by name. */
export type Objects = Record<string, string>;
export type ExportPlace = Awaited<ReturnType<typeof openExportPlace>>;

/** Starts an S3 engine with a bucket. All names are relative to a prefix of the test. */
export async function openExportPlace() {
  const started = real === null ? await startStub() : { ...(await real.start()), stub: null };
  const { endpoint, name, prefix } = parseS3Url(started.options.url);
  const keys = { accessKeyId: 'stub-access-key', secretAccessKey: 'stub-secret-key', ...started.options.credentials };
  const client = new S3Client({
    endpoint: endpoint ?? '',
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: keys,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  const place = (key: string) => ({ Bucket: name, Key: `${prefix}${key}` });
  return {
    /** The scripted engine, or null for a real one. */
    stub: started.stub,
    endpoint: endpoint ?? '',
    name,
    prefix,
    keys,
    url: `s3://${name}/${prefix}?endpoint=${encodeURIComponent(endpoint ?? '')}`,
    /** Lists the objects in a folder, which is empty or ends with a slash. */
    async objects(folder = ''): Promise<Objects> {
      const { Bucket, Key: Prefix } = place(folder);
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix, MaxKeys: 1_000 }));
      return Object.fromEntries(
        Contents.map(({ Key, Size, ETag, LastModified }) => [
          Key?.slice(Prefix.length) ?? '',
          `${Size} ${ETag} ${LastModified?.toISOString()}`,
        ]),
      );
    },
    async read(key: string): Promise<Buffer> {
      const { Body } = await client.send(new GetObjectCommand(place(key)));
      return Buffer.from((await Body?.transformToByteArray()) ?? []);
    },
    write: (key: string, Body: Buffer) => client.send(new PutObjectCommand({ ...place(key), Body })),
    remove: (key: string) => client.send(new DeleteObjectCommand(place(key))),
    async openUploads(): Promise<number> {
      const { Bucket, Key: Prefix } = place('');
      return (await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }))).Uploads?.length ?? 0;
    },
    async stop() {
      client.destroy();
      await started.stop();
    },
  };
}

async function startStub() {
  const stub = await startS3Stub();
  return { options: { url: stub.url, credentials: null }, stop: stub.stop, stub };
}
