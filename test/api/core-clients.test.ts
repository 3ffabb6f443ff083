import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { keepDelivered } from '../../src/catalog/statistics/sums/delivered-store.ts';
import { WHOLE_LIBRARY } from '../../src/catalog/statistics/sums/whole-library.ts';
import { runVerb } from '../../src/cli/client/run-verb.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { CORE_VERBS } from '../support/core-verbs.ts';
import { makeTlsPair } from '../support/make-tls-pair.ts';

/** Operations of the account API that clients of the hosted service call, other than those for videos. */
let api: TestApi;
let secure: TestApi;
let folder: string;
let certificate: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-core-'));
  const pair = await makeTlsPair(folder, 'own');
  certificate = await readFile(pair.certificatePath, 'utf8');
  api = await startTestApi();
  secure = await startTestApi({ tls: pair });
});
afterAll(async () => {
  expect([...api.faults, ...secure.faults]).toEqual([]);
  await Promise.all([api.stop(), secure.stop(), rm(folder, { recursive: true })]);
});

const call = (method: string, address: string, body?: object) =>
  api.call(method, address, { key: api.first.accountKey, ...(body && { body }) });

test('lists every country once, with the members of the European Union', async () => {
  const { status, body } = await call('GET', '/country');
  const countries = body as { Name: string; IsoCode: string; IsEU: boolean }[];
  expect(status).toBe(200);
  expect(countries).toHaveLength(250);
  expect(new Set(countries.map(({ IsoCode }) => IsoCode)).size).toBe(250);
  expect(countries.filter(({ IsEU }) => IsEU)).toHaveLength(27);
  const germany = {
    Name: 'Germany',
    IsoCode: 'DE',
    IsEU: true,
    TaxRate: 0,
    TaxPrefix: null,
    FlagUrl: null,
    PopList: [],
  };
  expect(countries).toContainEqual(germany);
  expect((await api.call('GET', '/country', { key: null })).status).toBe(401);
});

test('has one region, which statistics can be filtered by', async () => {
  const { status, body } = await call('GET', '/region');
  expect([status, body]).toMatchObject([200, [{ Id: 1, RegionCode: 'DE', PricePerGigabyte: 0 }]]);
});

test('sums the delivered bytes of all pull zones, or of one, by day or hour', async () => {
  const [first, second] = [zoneOf(1), zoneOf(api.second.id)];
  const at = (time: string, libraryId: number, bytes: number) =>
    ({ libraryId, mediaId: WHOLE_LIBRARY, hourMs: Date.parse(time), bytes }) as const;
  await keepDelivered(api.database.db, newGuid(), [
    at('2026-03-01T10:00:00Z', 1, 1_000),
    at('2026-03-01T23:00:00Z', 1, 200),
    at('2026-03-02T00:00:00Z', api.second.id, 30),
    { ...at('2026-03-01T10:00:00Z', 1, 900), mediaId: newGuid() },
  ]);
  const days = 'dateFrom=2026-03-01&dateTo=2026-03-02T12:00:00Z';
  const read = async (query: string) => Object((await call('GET', `/statistics?${days}&${query}`)).body);
  expect(await read('')).toMatchObject({
    TotalBandwidthUsed: 1_230,
    BandwidthUsedChart: { '2026-03-01T00:00:00Z': 1_200, '2026-03-02T00:00:00Z': 30 },
    RequestsServedChart: {},
    TotalRequestsServed: 0,
  });
  expect(await read(`pullZone=${await first}`)).toMatchObject({ TotalBandwidthUsed: 1_200 });
  expect(await read(`pullZone=${await second}&loadErrors=true`)).toMatchObject({ TotalBandwidthUsed: 30 });
  expect(await read('pullZone=987654')).toMatchObject({ TotalBandwidthUsed: 0 });
  expect(await read('serverZoneId=1')).toMatchObject({ TotalBandwidthUsed: 1_230 });
  expect(await read('serverZoneId=2')).toMatchObject({ TotalBandwidthUsed: 0 });
  const hourly = await read('hourly=true');
  expect(Object.keys(hourly.BandwidthUsedChart)).toHaveLength(48);
  expect(hourly.BandwidthUsedChart['2026-03-01T23:00:00Z']).toBe(200);
  const exact = await call(
    'GET',
    '/statistics?dateFrom=2026-03-01T23:00Z&dateTo=2026-03-02&hourly=true&exactRange=true',
  );
  expect(Object(exact.body).BandwidthUsedChart).toEqual({ '2026-03-01T23:00:00Z': 200, '2026-03-02T00:00:00Z': 30 });
  expect((await call('GET', '/statistics?dateFrom=2026-03-02&dateTo=2026-03-01')).status).toBe(400);
});

test('refuses a second pull zone, and names the existing one', async () => {
  const before = await call('GET', '/pullzone');
  const add = async (body: object) => Object((await call('POST', '/pullzone', body)).body);
  const taken = { ErrorKey: 'pullzone.name_taken', Field: 'Name', Message: expect.stringContaining('with id 1.') };
  expect(await add({ Name: 'VZ-1', OriginUrl: 'https://origin.example', Unknown: true })).toMatchObject(taken);
  const origin = {
    ErrorKey: 'pullzone.invalid_origin',
    Field: 'OriginUrl',
    Message: expect.stringContaining('POST /videolibrary'),
  };
  expect(await add({ Name: 'site', OriginUrl: 'https://origin.example', Type: 0 })).toMatchObject(origin);
  expect(await add({ Name: 'site', StorageZoneId: 987_654 })).toMatchObject(origin);
  expect(await add({ Name: 'site', StorageZoneId: 1 })).toMatchObject({
    ErrorKey: 'pullzone.invalid_origin',
    Field: 'StorageZoneId',
    Message: expect.stringContaining('/pullzone/1/addHostname'),
  });
  expect((await call('POST', '/pullzone', { OriginUrl: 'https://origin.example' })).status).toBe(400);
  expect((await call('GET', '/pullzone')).body).toEqual(before.body);
});

test('refuses to delete the pull zone of a library', async () => {
  expect(await call('DELETE', '/pullzone/1')).toMatchObject({
    status: 400,
    body: { Field: 'PullZone', Message: expect.stringContaining('DELETE /videolibrary/1') },
  });
  expect((await call('GET', '/pullzone/1')).status).toBe(200);
  expect(await call('DELETE', '/pullzone/987654')).toMatchObject({
    status: 404,
    body: { ErrorKey: 'pullZone.not_found' },
  });
});

test('without TLS, host names have no certificate, and only that state is accepted', async () => {
  const Hostname = 'plain.example.com';
  await call('POST', '/pullzone/1/addHostname', { Hostname });
  const zone = Object((await call('GET', '/pullzone/1')).body);
  const ids = zone.Hostnames.map(({ Id }: { Id: number }) => Id);
  expect(new Set(ids).size).toBe(2);
  expect(zone.Hostnames[1]).toMatchObject({ Value: Hostname, ForceSSL: false, HasCertificate: false });
  expect((await call('POST', '/pullzone/1/setForceSSL', { Hostname, ForceSSL: false })).status).toBe(204);
  expect((await call('DELETE', '/pullzone/1/removeCertificate', { Hostname })).status).toBe(204);
  const sent = { Hostname, Certificate: Buffer.from(certificate).toString('base64'), CertificateKey: 'a2V5' };
  for (const [method, address, body] of [
    ['POST', '/pullzone/1/setForceSSL', { Hostname, ForceSSL: true }],
    ['POST', '/pullzone/1/addCertificate', sent],
    ['GET', `/pullzone/loadFreeCertificate?hostname=${Hostname}`, undefined],
  ] as const) {
    const answer = await call(method, address, body);
    expect(answer).toMatchObject({
      status: 400,
      body: { Message: expect.stringContaining('MILLRACE_TLS_CERTIFICATE') },
    });
  }
  const unknown = { Hostname: 'unknown.example.com', ForceSSL: false };
  expect((await call('POST', '/pullzone/1/setForceSSL', unknown)).status).toBe(400);
  expect((await call('GET', '/pullzone/loadFreeCertificate?hostname=unknown.example.com')).status).toBe(404);
  expect((await call('POST', '/pullzone/1/addCertificate', { ...sent, Certificate: 'bm8=' })).body).toMatchObject({
    Field: 'Certificate',
  });
});

test('with TLS, the state of a host name follows from the certificate of the service', async () => {
  const [covered, other] = ['media.example.com', 'other.example.com'];
  for (const Hostname of [covered, other]) await callSecure('POST', '/pullzone/1/addHostname', { Hostname });
  const { Hostnames } = JSON.parse((await callSecure('GET', '/pullzone/1')).text);
  expect(Hostnames.slice(1)).toMatchObject([
    { Value: covered, ForceSSL: true, HasCertificate: true },
    { Value: other, ForceSSL: true, HasCertificate: false },
  ]);
  const status = async (...request: Parameters<typeof callSecure>) => (await callSecure(...request)).status;
  expect(await status('GET', `/pullzone/loadFreeCertificate?hostname=${covered}&useOnlyHttp01=false`)).toBe(200);
  expect(await status('GET', `/pullzone/loadFreeCertificate?hostname=${other}`)).toBe(400);
  expect(await status('POST', '/pullzone/1/setForceSSL', { Hostname: other, ForceSSL: true })).toBe(204);
  expect(await status('POST', '/pullzone/1/setForceSSL', { Hostname: other, ForceSSL: false })).toBe(400);
  expect(await status('DELETE', '/pullzone/1/removeCertificate', { Hostname: other })).toBe(204);
  expect(await status('DELETE', '/pullzone/1/removeCertificate', { Hostname: covered })).toBe(400);
  const add = { Certificate: Buffer.from(certificate).toString('base64'), CertificateKey: 'a2V5' };
  expect(await status('POST', '/pullzone/1/addCertificate', { Hostname: covered, ...add })).toBe(204);
  expect(await status('POST', '/pullzone/1/addCertificate', { Hostname: other, ...add })).toBe(400);
});

test('the command line has a verb for each of these operations', async () => {
  await call('POST', '/pullzone/1/addHostname', { Hostname: 'verbs.example.com' });
  const host = 'Hostname=verbs.example.com';
  const runs: [verb: string, code: number, ...args: string[]][] = [
    ...(['countries', 'regions', 'traffic'] as const).map((verb): [string, number] => [verb, 0]),
    ['zones add', 1, 'Name=another'],
    ['zones rm', 1, '1'],
    ['zones force-ssl', 0, '1', host, 'ForceSSL:=false'],
    ['zones rm-certificate', 0, '1', host],
    ['zones add-certificate', 1, '1', host, 'Certificate=cGVt', 'CertificateKey=cGVt'],
    ['zones check-certificate', 1, 'hostname=verbs.example.com'],
  ];
  const written = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockReturnValue(true));
  const codes: (number | null)[] = [];
  for (const [verb, , ...args] of runs) {
    const service = ['--url', api.url, '--key', String(api.first.accountKey)];
    codes.push(await runVerb([...verb.split(' '), ...args, ...service]));
  }
  for (const spy of written) spy.mockRestore();
  expect(codes).toEqual(runs.map(([, code]) => code));
  expect(new Set(runs.map(([verb]) => verb))).toEqual(new Set(CORE_VERBS));
});

async function zoneOf(libraryId: number): Promise<number> {
  return Object((await call('GET', `/videolibrary/${libraryId}`)).body).PullZoneId;
}

/** Sends a request to the service with a self-signed certificate. */
async function callSecure(method: string, address: string, body?: object): Promise<{ status: number; text: string }> {
  const sentText = body === undefined ? '' : JSON.stringify(body);
  const headers = { AccessKey: String(secure.first.accountKey), 'Content-Length': sentText.length };
  const options = { port: secure.api.port, path: address, method, headers, rejectUnauthorized: false };
  const sent = request({ host: '127.0.0.1', ...options }).end(sentText);
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, text: await text(response) };
}
