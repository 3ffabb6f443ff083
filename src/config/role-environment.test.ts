import { expect, test } from 'vitest';
import { environmentOf, settingsOf } from './role-environment.ts';
import { roles } from './roles.ts';
import { readSettings, SECRET_SETTINGS } from './settings.ts';

const SECRETS = {
  MILLRACE_ACCOUNT_KEY: 'the-account-key',
  MILLRACE_LIBRARY_KEY: 'the-library-key',
  MILLRACE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  MILLRACE_SRT_PASSPHRASE: 'the-srt-passphrase',
  MILLRACE_TRANSCRIBER_KEY: 'the-transcriber-key',
  MILLRACE_LANGUAGE_MODEL_KEY: 'the-model-key',
  MILLRACE_DRM_KEY_SERVER_AUTHORIZATION: 'Bearer the-key-server',
  MILLRACE_LICENSE_AUTHORIZATION: 'Bearer the-licences',
  MILLRACE_SMTP_PASSWORD: 'the-mail-password',
  MILLRACE_DATABASE_URL: 'postgres://user:the-password@127.0.0.1/millrace',
};

const FOLDER = { kind: 'file', folder: '/srv/objects' } as const;
const S3 = { kind: 's3', bucket: 'b', keyPrefix: '', endpoint: null, region: 'r', forcePathStyle: false } as const;
const STORE_KEYS = {
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'key',
  AWS_CONTAINER_AUTHORIZATION_TOKEN: 'token',
};
const FOREIGN = {
  GITHUB_TOKEN: 'g',
  NPM_CONFIG_PASSWORD: 'n',
  OPENAI_API_KEY: 'o',
  GOOGLE_APPLICATION_CREDENTIALS: 'c',
};

test('the list of secrets contains each secret setting', () => {
  expect(new Set(Object.keys(SECRETS))).toEqual(SECRET_SETTINGS);
});

test.each(roles)('the environment of %s contains the settings without secrets', (role) => {
  const plain = { MILLRACE_PORT: '7700', MILLRACE_RTMPS_KEY: '/etc/key.pem', PATH: '/bin', PGPASSWORD: 'p' };
  const environment = environmentOf(role, [FOLDER], { ...SECRETS, ...STORE_KEYS, ...FOREIGN, ...plain });
  const { MALLOC_MMAP_THRESHOLD_: _, ...given } = environment;
  expect(given).toEqual(plain);
});

test.each(roles)('%s has the keys of an S3 store only if objects are in one', (role) => {
  for (const stores of [[S3], [FOLDER, S3]]) expect(environmentOf(role, stores, STORE_KEYS)).toMatchObject(STORE_KEYS);
  expect(Object.keys(environmentOf(role, [FOLDER], STORE_KEYS))).not.toContain('AWS_ACCESS_KEY_ID');
});

test.each([
  ['api', ['the-transcriber-key', 'the-key-server', 'the-licences']],
  ['edge', ['the-licences', 'the-mail-password']],
  ['worker', ['the-transcriber-key', 'the-model-key', 'the-key-server', 'the-mail-password']],
  ['ingest', ['the-srt-passphrase', 'the-key-server']],
] as const)('%s starts with only the secrets that it uses', (role, used) => {
  const settings = readSettings({
    ...SECRETS,
    MILLRACE_TRANSCRIBER: 'http://127.0.0.1:9',
    MILLRACE_LANGUAGE_MODEL_URL: 'http://127.0.0.1:9',
    MILLRACE_DRM_KEY_SERVER_URL: 'http://127.0.0.1:9',
    MILLRACE_WIDEVINE_LICENSE_URL: 'http://127.0.0.1:9',
    MILLRACE_SMTP_URL: 'smtp://127.0.0.1:9',
    MILLRACE_SMTP_USER: 'mail',
    MILLRACE_MAIL_FROM: 'videos@example.com',
  });
  const { databaseUrl: _, ...own } = settings;
  const given = {
    ...own,
    secretKey: Buffer.alloc(32),
    secretKeyFile: null,
    database: { connectionString: 'postgres://' },
  };
  const text = JSON.stringify(settingsOf(role, given));
  const secrets = Object.values(SECRETS).map((secret) => secret.replace('Bearer ', ''));
  expect(new Set(secrets.filter((secret) => text.includes(secret)))).toEqual(new Set(used));
});
