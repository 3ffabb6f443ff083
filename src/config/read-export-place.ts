import { Refused } from '../lib/refused.ts';
import { type StorageSettings, storageSettings } from './storage.ts';

export type ExportPlace = Extract<StorageSettings, { kind: 's3' }>;

/**
 * Parses the bucket of an export, a URL like that of `MILLRACE_STORAGE`. Endpoint and region default to
 * `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL` and `AWS_REGION`. Throws `Refused` (`invalid`) for any other URL.
 */
export function readExportPlace(url: string): ExportPlace {
  const place = storageSettings({ MILLRACE_STORAGE: url }, '');
  if (place.kind !== 's3') {
    const expected = 's3://BUCKET[/PREFIX][?endpoint=URL&region=REGION]';
    throw new Refused('invalid', `expected a folder or ${expected}, got ${url}.`);
  }
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_REGION } = process.env;
  const hasRegion = new URL(url).searchParams.has('region');
  return {
    ...place,
    endpoint: place.endpoint ?? (AWS_ENDPOINT_URL_S3 || AWS_ENDPOINT_URL || null),
    region: hasRegion ? place.region : AWS_REGION || place.region,
  };
}
