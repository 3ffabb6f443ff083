import { expect, test } from 'vitest';
import { parseS3Url } from './s3-bucket.ts';

test.each([
  ['s3://media', { name: 'media', endpoint: null, region: 'us-east-1', prefix: '' }],
  [
    's3://media?endpoint=https://s3.example.com:9000&region=eu-central-1&prefix=/a/b/',
    { name: 'media', endpoint: 'https://s3.example.com:9000', region: 'eu-central-1', prefix: 'a/b/' },
  ],
])('parses %s', (url, expected) => {
  expect(parseS3Url(url)).toEqual(expected);
});

test.each([
  ['http://media', 's3://bucket'],
  ['s3://', 's3://bucket'],
  ['s3://Not_A_Bucket', 's3://bucket'],
  ['s3://key:secret@media', 'with only a bucket'],
  ['s3://media/folder', 'with only a bucket'],
  ['s3://media?endpiont=http://x', 'endpiont'],
  ['s3://media?endpoint=x.example.com', 'http:// or https://'],
  ['s3://media?prefix=a%20b', 'prefix'],
])('rejects %s with an error that describes the fault', (url, message) => {
  expect(() => parseS3Url(url)).toThrow(message);
});
