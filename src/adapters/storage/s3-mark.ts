import { Refused } from '../../lib/refused.ts';
import { MAX_MARK_BYTES, type StorageKey, type StoreMark } from '../../ports/storage.ts';
import { collect, PROBE_NAME, requireProbe } from './bytes.ts';
import type { S3Bucket } from './s3-bucket.ts';
import { deleteKeys } from './s3-list.ts';
import { openS3Object } from './s3-read.ts';
import { putBytes } from './s3-write.ts';

/** Key of the object with the mark. Callers cannot use it, because no segment of their keys begins with a dot. */
const MARK_KEY = '.installation' as StorageKey;
const PROBE_KEY = PROBE_NAME as StorageKey;
const START = { start: 0, end: MAX_MARK_BYTES - 1 };

/** Stores the mark of a bucket, or of a prefix in it, as an object next to the other objects. */
export function createS3Mark(bucket: S3Bucket, isEmpty: StoreMark['isEmpty']): StoreMark {
  return {
    location: `s3://${bucket.name}/${bucket.prefix}`,
    async read(signal) {
      try {
        const { lengthBytes, body } = await openS3Object(bucket, { key: MARK_KEY, range: START }, signal);
        return (await collect(body, lengthBytes)).toString();
      } catch (error) {
        if (error instanceof Refused && error.kind === 'not-found') return null;
        throw error;
      }
    },
    async write(text, { ifAbsent }, signal) {
      signal.throwIfAborted();
      await putBytes(bucket, { key: MARK_KEY, ifAbsent, contentType: 'application/json' }, Buffer.from(text));
    },
    async probe(signal) {
      const bytes = Buffer.from('probe');
      signal.throwIfAborted();
      await putBytes(bucket, { key: PROBE_KEY, ifAbsent: false, contentType: null }, bytes);
      const { lengthBytes, body } = await openS3Object(bucket, { key: PROBE_KEY, range: null }, signal);
      requireProbe(await collect(body, lengthBytes), bytes);
      await deleteKeys(bucket, [PROBE_KEY]);
    },
    isEmpty,
  };
}
