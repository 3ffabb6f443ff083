import { join } from 'node:path';
import { Refused } from '../../lib/refused.ts';
import { MAX_MARK_BYTES, type Staging, type StorageKey, type StoreMark } from '../../ports/storage.ts';
import { areEmpty, collect, PROBE_NAME, requireProbe } from './bytes.ts';
import { openObject, putFile } from './file-objects.ts';
import { removeObject } from './file-tree.ts';
import { walkObjects } from './walk-objects.ts';

/** Name of the file with the mark. Callers cannot use this key, because no segment of their keys begins with a dot. */
const MARK_KEY = '.installation' as StorageKey;
const PROBE_KEY = PROBE_NAME as StorageKey;
const START = { start: 0, end: MAX_MARK_BYTES - 1 };

/** Stores the mark of a folder as a file next to its objects. */
export function createFileMark(root: string, staging: Pick<Staging, 'list'>): StoreMark {
  return {
    location: root,
    async read(signal) {
      try {
        const { lengthBytes, body } = await openObject(root, { key: MARK_KEY, range: START }, signal);
        return (await collect(body, lengthBytes)).toString();
      } catch (error) {
        if (error instanceof Refused && error.kind === 'not-found') return null;
        throw error;
      }
    },
    async write(text, { ifAbsent }, signal) {
      const put = { key: MARK_KEY, target: join(root, MARK_KEY), ifAbsent, body: Buffer.from(text) };
      await putFile(root, put, signal);
    },
    async probe(signal) {
      const body = Buffer.from('probe');
      try {
        await putFile(root, { key: PROBE_KEY, target: join(root, PROBE_KEY), ifAbsent: false, body }, signal);
        const opened = await openObject(root, { key: PROBE_KEY, range: null }, signal);
        requireProbe(await collect(opened.body, opened.lengthBytes), body);
      } finally {
        await removeObject(root, PROBE_KEY);
      }
    },
    isEmpty: (signal) => areEmpty([walkObjects(root, { prefix: '', after: '' }, signal), staging.list(signal)]),
  };
}
