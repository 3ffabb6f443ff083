import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findUnknownSettings, readSettings, SECRET_SETTINGS } from './settings.ts';

let dataDir = '';
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-settings-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const read = (settings: Record<string, string>) => readSettings({ MILLRACE_DATA_DIR: dataDir, ...settings });

test('without settings, the defaults for one machine apply', () => {
  expect(read({})).toMatchObject({
    dataDir,
    storage: { kind: 'file', folder: join(dataDir, 'objects') },
    storageFrom: null,
    host: '127.0.0.1',
    port: 7700,
    edgePort: 7701,
    rtmpPort: 1935,
    srtPort: 8890,
    publicUrl: null,
    databaseUrl: null,
    outboundAllow: [],
    makesPreviews: true,
    transcriber: { kind: 'installed' },
    speechModelsUrl: 'https://github.com/k2-fsa/sherpa-onnx/releases/download/asr-models',
    countsUniqueViewers: true,
    countsOtherPlayers: false,
    sessionDays: 90,
  });
});

test.each([
  { MILLRACE_PORT: '65536' },
  { MILLRACE_PORT: '-1' },
  { MILLRACE_EDGE_PORT: '7701.5' },
  { MILLRACE_RTMP_PORT: ' 1935' },
  { MILLRACE_SRT_PORT: '0x1' },
  { MILLRACE_SRT_PASSPHRASE: 'too short' },
  { MILLRACE_REGION: 'far away' },
  { MILLRACE_ICE_SERVERS: 'https://stun.example' },
  { MILLRACE_INGEST_CERTIFICATE: 'certificate.pem' },
  { MILLRACE_INGEST_HOST: 'https://live.example' },
  { MILLRACE_HOST: 'not a host' },
  { MILLRACE_PUBLIC_URL: 'media.example' },
  { MILLRACE_EDGE_URL: 'ftp://media.example' },
  { MILLRACE_EDGE_URL: 'https://user:secret@media.example' },
  { MILLRACE_LANGUAGE_MODEL_URL: 'https://:secret@models.example' },
  { MILLRACE_DATABASE_URL: 'mysql://localhost/millrace' },
  { MILLRACE_DATABASE_URL: 'postgres://localhost' },
  { MILLRACE_STORAGE: 'file:relative' },
  { MILLRACE_STORAGE: 's3://Bad_Bucket' },
  { MILLRACE_STORAGE: 's3://bucket?endpiont=http://localhost' },
  { MILLRACE_ACCOUNT_KEY: 'short' },
  { MILLRACE_LIBRARY_KEY: 'with a space in it' },
  { MILLRACE_SECRET_KEY: Buffer.alloc(31).toString('base64') },
  { MILLRACE_ENCODE_THREADS: '0' },
  { MILLRACE_PREVIEWS: 'no' },
  { MILLRACE_UNIQUE_VIEWERS: 'yes' },
  { MILLRACE_SESSION_DAYS: '3' },
  { MILLRACE_OUTBOUND_ALLOW: '10.0.0.0/8,10.0.0.0/33' },
  { MILLRACE_OWN_HOSTS: 'video.example,https://media.example' },
  { MILLRACE_TRANSCRIBER: 'sphinx' },
  { MILLRACE_LANGUAGE_MODEL_URL: 'localhost:8080' },
  { MILLRACE_DRM_SCHEME: 'cbc1' },
  { MILLRACE_DRM_KEY_SERVER_URL: 'keys.example' },
  { MILLRACE_DRM_SYSTEMS: 'widevine,vidvine' },
  { MILLRACE_WIDEVINE_LICENSE_URL: 'ftp://licences.example' },
  { MILLRACE_LICENSE_AUTHORIZATION: 'Bearer ü' },
  { MILLRACE_FAIRPLAY_CERTIFICATE: 'fairplay.cer' },
  { MILLRACE_SMTP_URL: 'mail.example:25' },
  { MILLRACE_SMTP_URL: 'https://mail.example' },
  { MILLRACE_SMTP_URL: 'smtp://user:secret@mail.example' },
  { MILLRACE_SMTP_URL: 'smtp://mail.example' },
  { MILLRACE_MAIL_FROM: 'Videos <videos@example.com>' },
  { MILLRACE_MAIL_FROM: 'videos@example.com\r\nBcc: eve@evil.test' },
  { MILLRACE_MAIL_FROM: 'videos@example.com' },
  { MILLRACE_SMTP_USER: 'videos' },
])('rejects %o and names the setting', (settings) => {
  const [name = ''] = Object.keys(settings);
  expect(() => read(settings)).toThrow(new RegExp(`^${name}: expected .*, got `));
});

test("the service's own hosts are those of the configured URLs and the additional hosts", () => {
  expect(read({}).ownHosts).toEqual(['localhost', '127.0.0.1', '[::1]']);
  const settings = { MILLRACE_PUBLIC_URL: 'https://api.example', MILLRACE_EDGE_URL: 'https://media.example:8443' };
  expect(read({ ...settings, MILLRACE_OWN_HOSTS: 'Video.example, *.cdn.example' }).ownHosts).toEqual([
    'api.example',
    'media.example',
    'video.example',
    '*.cdn.example',
  ]);
});

test('combines the mail server from its settings', () => {
  expect(read({}).mail).toBeNull();
  const server = { MILLRACE_SMTP_URL: 'smtps://mail.example', MILLRACE_MAIL_FROM: 'videos@example.com' };
  const mail = { url: 'smtps://mail.example', from: 'videos@example.com', user: null, password: null };
  expect(read(server).mail).toEqual(mail);
  const account = { MILLRACE_SMTP_USER: 'videos', MILLRACE_SMTP_PASSWORD: 'a secret' };
  expect(read({ ...server, ...account }).mail).toEqual({ ...mail, user: 'videos', password: 'a secret' });
});

test('combines a key server and licence servers from their settings', () => {
  expect(read({})).toMatchObject({ drmScheme: 'cbcs', keyServer: null, licenceServers: {} });
  const settings = read({
    MILLRACE_DRM_KEY_SERVER_URL: 'https://keys.example/speke',
    MILLRACE_DRM_KEY_SERVER_AUTHORIZATION: 'Bearer a',
    MILLRACE_DRM_SYSTEMS: 'Widevine, playready',
    MILLRACE_WIDEVINE_LICENSE_URL: 'https://licences.example/?content={videoId}',
    MILLRACE_LICENSE_AUTHORIZATION: 'Bearer b',
  });
  expect(settings.keyServer).toEqual({
    url: 'https://keys.example/speke',
    authorization: 'Bearer a',
    systems: ['widevine', 'playReady'],
  });
  const widevine = { url: 'https://licences.example/?content={videoId}', authorization: 'Bearer b' };
  expect(settings.licenceServers).toEqual({ widevine });
});

test('reports every wrong setting without repeating secrets', () => {
  const wrong = { MILLRACE_PORT: 'x', MILLRACE_HOST: '', MILLRACE_ACCOUNT_KEY: 'hushhus', MILLRACE_STORAGE: 'y' };
  expect(() => read(wrong)).toThrow(/MILLRACE_STORAGE.*\n.*MILLRACE_PORT.*\n.*MILLRACE_ACCOUNT_KEY/);
  expect(() => read(wrong)).not.toThrow(/hushhus/);
  expect(() => read({ MILLRACE_EDGE_URL: 'https://user:hushhus@a.example' })).toThrow('//***@a.example');
});

test.each([
  { text: 'file:/srv/objects', expected: { kind: 'file', folder: '/srv/objects' } },
  { text: 'file:///srv/with%20space', expected: { kind: 'file', folder: '/srv/with space' } },
  {
    text: 's3://media',
    expected: { bucket: 'media', keyPrefix: '', endpoint: null, region: 'us-east-1', forcePathStyle: false },
  },
  {
    text: 's3://media/a/b/?endpoint=http://127.0.0.1:9000/&region=eu-1',
    expected: { keyPrefix: 'a/b/', endpoint: 'http://127.0.0.1:9000', region: 'eu-1', forcePathStyle: true },
  },
])('parses storage $text', ({ text, expected }) => {
  expect(read({ MILLRACE_STORAGE: text }).storage).toMatchObject(expected);
});

test('a file provides settings that the environment lacks', () => {
  writeFileSync(join(dataDir, 'millrace.env'), '# ports\nMILLRACE_PORT=8000\nMILLRACE_EDGE_PORT="8001"\n');
  expect(read({ MILLRACE_PORT: '9000' })).toMatchObject({ port: 9000, edgePort: 8001 });
});

test('reads the settings file that a setting selects, which must exist and pass the same checks', () => {
  const path = join(dataDir, 'other.env');
  expect(() => read({ MILLRACE_CONFIG: path })).toThrow('MILLRACE_CONFIG: could not read the settings file');
  writeFileSync(path, 'MILLRACE_PORT=many\n');
  expect(() => read({ MILLRACE_CONFIG: path })).toThrow('MILLRACE_PORT: expected a port');
});

test.each([...SECRET_SETTINGS])('reads %s from the file that %s_FILE names, without the final line break', (name) => {
  const path = join(dataDir, 'secret');
  const values: Record<string, string> = {
    MILLRACE_DATABASE_URL: 'postgres://user:hushhush@localhost/millrace',
    MILLRACE_SECRET_KEY: Buffer.alloc(32).toString('base64'),
  };
  // Some settings are only read together with the URL of their service.
  const others = {
    MILLRACE_TRANSCRIBER: 'http://localhost/v1',
    MILLRACE_LANGUAGE_MODEL_URL: 'http://localhost/v1',
    MILLRACE_DRM_KEY_SERVER_URL: 'http://localhost/',
    MILLRACE_WIDEVINE_LICENSE_URL: 'http://localhost/',
    MILLRACE_SMTP_URL: 'smtp://localhost',
    MILLRACE_MAIL_FROM: 'videos@example.com',
  };
  const value = values[name] ?? 'hushhush-0123456789';
  writeFileSync(path, `${value}\n`);
  expect(read({ ...others, [`${name}_FILE`]: path })).toEqual(read({ ...others, [name]: value }));
  expect(read({ ...others, [`${name}_FILE`]: path })).not.toEqual(read(others));
  expect(findUnknownSettings({ MILLRACE_DATA_DIR: dataDir, [`${name}_FILE`]: path })).toEqual([]);
});

test('reports each secret file that is missing, empty, a folder, invalid or given twice, in one line each', () => {
  const [empty, wrong] = [join(dataDir, 'empty'), join(dataDir, 'wrong')];
  writeFileSync(empty, '\n');
  writeFileSync(wrong, 'hushhus\n');
  const file = (path: string) => ({ MILLRACE_ACCOUNT_KEY_FILE: path });
  const line = (text: string) => new RegExp(`^${text}[^\n]*\\.$`);
  expect(() => read(file('/nowhere'))).toThrow(
    line('MILLRACE_ACCOUNT_KEY_FILE: expected the path .* ENOENT.*/nowhere'),
  );
  expect(() => read(file(dataDir))).toThrow(
    line('MILLRACE_ACCOUNT_KEY_FILE: expected the path .* which is not a regular file'),
  );
  expect(() => read(file(empty))).toThrow(
    line('MILLRACE_ACCOUNT_KEY_FILE: expected a secret in .*, got an empty file'),
  );
  expect(() => read(file(wrong))).toThrow(
    line('MILLRACE_ACCOUNT_KEY_FILE: expected a key of .* in .*/wrong, got 7 characters'),
  );
  const twice = { ...file(wrong), MILLRACE_ACCOUNT_KEY: 'hushhush' };
  expect(() => read(twice)).toThrow(line('MILLRACE_ACCOUNT_KEY_FILE: expected either this or MILLRACE_ACCOUNT_KEY'));
});

test('reports unknown settings in the environment and the file, and suggests the nearest known setting', () => {
  writeFileSync(join(dataDir, 'millrace.env'), 'MILLRACE_PROT=1\n');
  const environment = { MILLRACE_DATA_DIR: dataDir, MILLRACE_CONFIG: '', MILLRACE_HOTS: 'x', PATH: '/bin' };
  const found = findUnknownSettings({ ...environment, MILLRACE_FAVOURITE_COLOUR: 'blue' });
  expect(found.map(({ sentence }) => sentence)).toEqual([
    'MILLRACE_PROT is not a setting of this version, and is ignored. Did you mean MILLRACE_PORT?',
    'MILLRACE_HOTS is not a setting of this version, and is ignored. Did you mean MILLRACE_HOST?',
    'MILLRACE_FAVOURITE_COLOUR is not a setting of this version, and is ignored.',
  ]);
});

test.each([
  { storage: 'file:/srv/new', from: 'file:/srv/new/' },
  { storage: 'file:/srv/new', from: 'file:/srv' },
  { storage: 'file:/srv', from: 'file:/srv/old' },
  { storage: 's3://media/a?region=eu-central-1', from: 's3://media?region=eu-central-1' },
])('rejects moving objects from $from to $storage, because one location contains the other', ({ storage, from }) => {
  expect(() => read({ MILLRACE_STORAGE: storage, MILLRACE_STORAGE_FROM: from })).toThrow(
    'expected a location that differs from MILLRACE_STORAGE',
  );
});

test.each([
  { storage: 'file:/srv/new', from: 'file:/srv/newer' },
  { storage: 's3://media/a', from: 's3://media/b' },
  { storage: 's3://media', from: 's3://media?endpoint=https://other' },
  { storage: 's3://media', from: 'file:/srv' },
])('accepts a move from $from to $storage', ({ storage, from }) => {
  expect(read({ MILLRACE_STORAGE: storage, MILLRACE_STORAGE_FROM: from }).storageFrom).not.toBeNull();
});
