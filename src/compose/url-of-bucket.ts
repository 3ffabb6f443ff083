import type { StorageSettings } from '../config/storage.ts';

/** Returns the URL of a bucket as the adapter expects it. */
export function urlOfBucket({ bucket, keyPrefix, endpoint, region }: Extract<StorageSettings, { kind: 's3' }>): string {
  const query = new URLSearchParams({ region });
  if (endpoint !== null) query.set('endpoint', endpoint);
  if (keyPrefix !== '') query.set('prefix', keyPrefix);
  return `s3://${bucket}?${query}`;
}
