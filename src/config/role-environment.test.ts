import { expect, test } from 'vitest';
import { environmentOf, settingsOf } from './role-environment.ts';
import { roles } from './roles.ts';
import { readSettings } from './settings.ts';

const SECRETS = {
  MILLRACE_ACCOUNT_KEY: 'the-account-key',
  MILLRACE_LIBRARY_KEY: 'the-library-key',
  MILLRACE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  MILLRACE_SRT_PASSPHRASE: 'the-srt-passphrase',
  MILLRACE_TRANSCRIBER_KEY: 'the-transcriber-key',
  MILLRACE_LANGUAGE_MODEL_KEY: 'the-model-key',
  MILLRACE_DRM_KEY_SERVER_AUTHORIZATION: 'Bearer the-key-server',
  MILLRACE_LICENSE_AUTHORIZATION: 'Bearer the-licences',
  MILLRACE_DATABASE_URL: 'postgres://user:the-password@127.0.0.1/millrace',
};

test.each(roles)('the environment of %s contains the settings but no secret', (role) => {
  const environment = environmentOf(role, { ...SECRETS, MILLRACE_PORT: '7700', PATH: '/bin' });
  expect(environment).toMatchObject({ MILLRACE_PORT: '7700', PATH: '/bin' });
  expect(Object.keys(environment).filter((name) => name in SECRETS)).toEqual([]);
});

test.each([
  ['api', ['the-transcriber-key', 'the-key-server', 'the-licences']],
  ['edge', ['the-licences']],
  ['worker', ['the-transcriber-key', 'the-model-key', 'the-key-server']],
  ['ingest', ['the-srt-passphrase', 'the-key-server']],
] as const)('%s starts with only the secrets that it uses', (role, used) => {
  const settings = readSettings({
    ...SECRETS,
    MILLRACE_TRANSCRIBER: 'http://127.0.0.1:9',
    MILLRACE_LANGUAGE_MODEL_URL: 'http://127.0.0.1:9',
    MILLRACE_DRM_KEY_SERVER_URL: 'http://127.0.0.1:9',
    MILLRACE_WIDEVINE_LICENSE_URL: 'http://127.0.0.1:9',
  });
  const { databaseUrl: _, ...own } = settings;
  const given = { ...own, secretKey: Buffer.alloc(32), database: { connectionString: 'postgres://' } };
  const text = JSON.stringify(settingsOf(role, given));
  const secrets = Object.values(SECRETS).map((secret) => secret.replace('Bearer ', ''));
  expect(new Set(secrets.filter((secret) => text.includes(secret)))).toEqual(new Set(used));
});
