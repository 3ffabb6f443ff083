import { createHash, createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseS3Url } from '../../src/adapters/storage/s3-bucket.ts';
import { closeServer, listen } from '../../src/lib/listen.ts';
import { openRealS3 } from '../ports/real-s3.ts';
import { startS3Stub } from '../ports/s3-stub.ts';
import { discard, type Service } from '../support/service.ts';
import { ask, type Import, makeFiles, startImporter, untilImport } from './import-fixture.ts';

const GUID = '0190163d-8694-739b-aea5-966c26f8ad91';
const SHELF = '0190163d-8694-739b-aea5-966c26f8ad99';
const LOST = '0190163d-8694-739b-aea5-966c26f8ad98';
const COMMENT = {
  guid: '0190163d-8694-739b-aea5-966c26f8ad97',
  text: 'Louder',
  time: 1,
  authorName: 'Ada',
  authorKind: 'guest',
  dateCreated: '2024-05-06T07:08:09.123',
};
const VTT = 'WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n';
/** Objects that are not media, more than fit on a page of the list. */
const OTHERS = 560;

type Fields = Record<string, unknown>;
type Bucket = { endpoint: string; name: string; prefix: string; accessKey: string; secretKey: string };

let service: Service;
let bucket: Bucket;
let stopBucket: () => Promise<void>;
const real = openRealS3();

beforeAll(async () => {
  const { clip, image } = await makeFiles();
  const started = real === null ? await startStub() : await startReal(real);
  bucket = started.bucket;
  stopBucket = started.stop;
  const fields = { guid: GUID, title: 'The first', views: 12, captions: [{ srclang: 'de', label: 'Deutsch' }] };
  const row =
    '"Talks & more/two words.mp4","Second, quoted",2024-02-03T04:05:06Z,"[{""property"":""k"",""value"":""v""}]"';
  const objects: Record<string, Buffer | string> = {
    'a-first.mp4': clip,
    'a-first.png': image,
    'a-first.de.vtt': VTT,
    'a-first.json': JSON.stringify(fields),
    'a-first.comments.json': JSON.stringify([COMMENT, { guid: 'wrong' }]),
    [`${LOST}.json`]: JSON.stringify({ guid: LOST, title: 'Lost', noMediaReason: 'Nobody has it.' }),
    'broken.json': '{',
    'broken.mp4': clip,
    'empty.mp4': Buffer.alloc(0),
    'Talks & more/two words.mp4': clip,
    'collections.json': JSON.stringify([{ guid: SHELF, name: 'Kept', videoOrder: 'title' }]),
    'manifest.csv': `file,title,dateUploaded,metaTags\n${row}\n`,
    'z-last.mp4': clip,
  };
  for (let index = 0; index < OTHERS; index += 1) objects[`n/${String(index).padStart(4, '0')}.txt`] = 'x';
  await fill(objects);
  service = await startImporter(null);
}, 300_000);
afterAll(async () => {
  await discard(service);
  await stopBucket();
});

function placeOf(url: string) {
  const { prefix, ...place } = parseS3Url(url);
  return { ...place, prefix: prefix.replace(/\/$/, '') };
}

async function startReal({ start }: NonNullable<typeof real>) {
  const { options, stop } = await start();
  const { endpoint, name, prefix } = placeOf(options.url);
  const { accessKeyId = '', secretAccessKey = '' } = options.credentials ?? {};
  return {
    bucket: { endpoint: endpoint ?? '', name, prefix, accessKey: accessKeyId, secretKey: secretAccessKey },
    stop,
  };
}

/** The stub does not check signatures, so a server in front of it does. */
async function startStub() {
  const stub = await startS3Stub();
  const { endpoint, prefix } = placeOf(stub.url);
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', endpoint ?? '');
    if (request.method === 'GET' && !isSigned(url, String(request.headers.host)))
      return void response.writeHead(403).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = Object.entries(request.headers).filter(
      ([name]) => !['host', 'connection', 'content-length'].includes(name),
    );
    const body = request.method === 'GET' ? null : Buffer.concat(chunks);
    const answer = await fetch(url, {
      method: String(request.method),
      headers: Object.fromEntries(headers) as Record<string, string>,
      body,
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()));
  });
  const port = await listen(server, 0, '127.0.0.1');
  const pair = { accessKey: 'AKID', secretKey: 'secret/+key' };
  const stop = () => closeServer(server, 0);
  return { bucket: { endpoint: `http://127.0.0.1:${port}`, name: 'bucket', prefix, ...pair }, stop };
}

/** Computes the signature again as the documentation of AWS Signature Version 4 describes it. */
function isSigned({ pathname, searchParams }: URL, host: string): boolean {
  const escapePart = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const given = searchParams.get('X-Amz-Signature') ?? '';
  const query = [...searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${escapePart(name)}=${escapePart(value)}`)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .join('&');
  const sha = (text: string) => createHash('sha256').update(text).digest('hex');
  const canonical = ['GET', pathname, query, `host:${host}\n`, 'host', 'UNSIGNED-PAYLOAD'].join('\n');
  const at = searchParams.get('X-Amz-Date') ?? '';
  const scope = `${at.slice(0, 8)}/us-east-1/s3/aws4_request`;
  const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const key = ['us-east-1', 's3', 'aws4_request'].reduce(mac, mac('AWS4secret/+key', at.slice(0, 8)));
  return mac(key, ['AWS4-HMAC-SHA256', at, scope, sha(canonical)].join('\n')).toString('hex') === given;
}

async function fill(objects: Record<string, Buffer | string>): Promise<void> {
  const { endpoint, name, prefix, accessKey, secretKey } = bucket;
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  const entries = Object.entries(objects);
  for (let start = 0; start < entries.length; start += 40) {
    const some = entries.slice(start, start + 40);
    await Promise.all(
      some.map(([key, Body]) => client.send(new PutObjectCommand({ Bucket: name, Key: `${prefix}/${key}`, Body }))),
    );
  }
  client.destroy();
}

async function run(more: object): Promise<Import> {
  const { endpoint, name, prefix, accessKey, secretKey } = bucket;
  const body = { source: 's3', apiUrl: endpoint, bucket: name, prefix, accessKey, secretKey, ...more };
  const { guid } = await ask<Import>(service, 'POST', '/library/1/imports', body);
  const isOver = ({ state }: Import) => ['finished', 'planned', 'failed'].includes(state);
  return untilImport(() => service, `/library/1/imports/${guid}`, isOver);
}

test(`imports a bucket with sidecars and a manifest (${real?.name ?? 'scripted engine'})`, async () => {
  const plan = await run({ dryRun: true, bandwidth: 10_000 });
  expect(plan).toMatchObject({ state: 'planned', counts: { waiting: 6, skipped: 2, unknownSizes: 0 } });
  expect(Object(plan).remainingSeconds).toBe(Math.ceil((plan.counts.sizeBytes ?? 0) / 10_000));
  const report = await run({});
  expect(report).toMatchObject({ state: 'finished', counts: { imported: 6, skipped: 2, failed: 0 } });
  const { items } = await ask<{ items: Fields[] }>(service, 'GET', '/library/1/videos');
  expect(items.find(({ guid }) => guid === GUID)).toMatchObject({
    title: 'The first',
    views: 12,
    captions: [{ srclang: 'de', label: 'Deutsch' }],
    thumbnailFileName: expect.stringMatching(/^thumbnail_/),
  });
  const shelves = await ask<{ items: Fields[] }>(service, 'GET', '/library/1/collections');
  expect(new Set(shelves.items.map(({ name }) => name))).toEqual(new Set(['Kept', 'Talks & more']));
  expect(items.find(({ title }) => title === 'Second, quoted')).toMatchObject({
    dateUploaded: expect.stringContaining('2024-02-03T04:05:06'),
    metaTags: [{ property: 'k', value: 'v' }],
    collectionId: shelves.items.find(({ name }) => name === 'Talks & more')?.guid,
  });
  expect(report.items.find(({ title }) => title === 'broken')?.notes.join(' ')).toContain(
    'The sidecar could not be read',
  );
  expect(report.items.find(({ title }) => title === 'empty')).toMatchObject({ reason: 'The object is empty.' });
  expect(report.items.find(({ title }) => title === 'Lost')).toMatchObject({
    state: 'skipped',
    reason: 'Nobody has it.',
  });
  const comments = await ask<{ items: Fields[] }>(service, 'GET', `/library/1/videos/${GUID}/comments`);
  expect(comments.items).toMatchObject([{ ...COMMENT, isResolved: false, shareId: null, replies: [] }]);
  const notes = report.items.find(({ title }) => title === 'The first')?.notes.join(' ');
  expect(notes).toContain('1 review comments could not be imported.');
  expect(await ask(service, 'GET', `/library/1/collections/${SHELF}/order`)).toMatchObject({ order: 'title' });
  const last = report.items.find(({ title }) => title === 'z-last');
  expect(last?.notes.join(' ')).toMatch(/Its file is the same as that of video [0-9a-f-]{36}/);
}, 300_000);

test('a second import does nothing', async () => {
  const second = await run({});
  expect(second.counts).toMatchObject({ imported: 0, skipped: 8, failed: 0 });
}, 120_000);

test('a wrong key ends the import with the reason', async () => {
  const refused = await run({ secretKey: 'wrong' });
  expect(refused).toMatchObject({ state: 'failed', reason: expect.stringContaining('403') });
}, 120_000);
