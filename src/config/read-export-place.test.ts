import { afterEach, expect, test, vi } from 'vitest';
import { readExportPlace } from './read-export-place.ts';

afterEach(() => vi.unstubAllEnvs());

const ENDPOINT = 'https://s3.example.com';

test.each([
  { url: 's3://films/a/b', environment: {}, endpoint: null, region: 'us-east-1' },
  { url: 's3://films/a/b', environment: { AWS_REGION: 'eu-west-1' }, endpoint: null, region: 'eu-west-1' },
  { url: 's3://films/a/b', environment: { AWS_ENDPOINT_URL: ENDPOINT }, endpoint: ENDPOINT, region: 'us-east-1' },
  {
    url: 's3://films/a/b',
    environment: { AWS_ENDPOINT_URL_S3: ENDPOINT, AWS_ENDPOINT_URL: 'https://other.example.com' },
    endpoint: ENDPOINT,
    region: 'us-east-1',
  },
  {
    url: `s3://films/a/b?endpoint=${ENDPOINT}&region=eu-1`,
    environment: { AWS_ENDPOINT_URL: 'https://other.example.com', AWS_REGION: 'eu-west-1' },
    endpoint: ENDPOINT,
    region: 'eu-1',
  },
])('reads $url with $environment', ({ url, environment, endpoint, region }) => {
  for (const name of ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL', 'AWS_REGION']) vi.stubEnv(name, '');
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  expect(readExportPlace(url)).toMatchObject({ bucket: 'films', keyPrefix: 'a/b/', endpoint, region });
});

test.each(['s3://Films', 's3://films?endpont=x', 'file:/srv', 's3:'])('rejects %s', (url) => {
  expect(() => readExportPlace(url)).toThrow('expected a folder or s3://BUCKET');
});
