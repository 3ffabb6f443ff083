import { Readable } from 'node:stream';
import { createFileStorage } from '../../src/adapters/storage/file-storage.ts';
import { type Storage, storageKey } from '../../src/ports/storage.ts';

// Runs as a separate process that is killed, starved of disk or measured: storage-child.ts {action} {folder}.

const MIB = 1024 * 1024;
const never = new AbortController().signal;

const ACTIONS: Record<string, (storage: Storage) => Promise<unknown>> = {
  /** Puts until it is killed. */
  'put-forever': (storage) => storage.put(storageKey('library/media/endless'), endless(), {}, never),

  /** Appends until it is killed. */
  'append-forever': (storage) => storage.staging.append('upload', 0, endless(), never),

  /** Puts 300 MiB and reports the growth of memory. */
  async 'put-large'(storage) {
    const before = process.memoryUsage.rss();
    let peak = before;
    const written = await storage.put(
      storageKey('library/media/large'),
      mebibytes(300, () => {
        peak = Math.max(peak, process.memoryUsage.rss());
      }),
      {},
      never,
    );
    return { sizeBytes: written.sizeBytes, grownMib: (peak - before) / MIB };
  },

  /** Writes more than an 8 MiB file system holds, by every write operation, and reports the errors. */
  async fill(storage) {
    const put = await kindOf(storage.put(storageKey('library/media/too-much'), mebibytes(20), {}, never));
    const listed = await storage.deletePrefix('library/', never);
    const freeAfterPut = (await storage.space())?.freeBytes;
    const append = await kindOf(storage.staging.append('upload', 0, mebibytes(20), never));
    const staged = await storage.staging.size('upload');
    await storage.staging.abort('upload');
    const after = await storage.put(storageKey('library/media/fits'), mebibytes(4), {}, never);
    return { put, listed, freeAfterPut, append, staged, fits: after.sizeBytes };
  },

  /** Deletes from a folder by every delete operation, and reports the errors. */
  async empty(storage) {
    const key = storageKey('library/object');
    await storage.put(key, Buffer.from('x'), {}, never);
    const deleted = await kindOf(storage.delete([key]));
    await storage.put(key, Buffer.from('x'), {}, never);
    const deletedPrefix = await kindOf(storage.deletePrefix('library/', never));
    const put = await kindOf(storage.put(key, broken(), {}, never));
    return { deleted, deletedPrefix, put };
  },
};

async function kindOf(action: Promise<unknown>): Promise<string> {
  try {
    await action;
    return 'done';
  } catch (error) {
    return error instanceof Error && 'kind' in error ? String(error.kind) : String(error);
  }
}

function mebibytes(count: number, onEach: () => void = () => undefined): Readable {
  return Readable.from(
    (function* () {
      for (let made = 0; made < count; made += 1) {
        onEach();
        yield Buffer.alloc(MIB, made);
      }
    })(),
  );
}

function broken(): Readable {
  return Readable.from(
    (function* () {
      yield Buffer.from('x');
      throw new Error('the sender disconnected');
    })(),
  );
}

function endless(): Readable {
  return mebibytes(Number.POSITIVE_INFINITY);
}

const [, , action = '', folder = ''] = process.argv;
const run = ACTIONS[action];
if (run === undefined) throw new Error(`Expected one of ${Object.keys(ACTIONS).join(', ')}, got "${action}".`);
process.stdout.write(JSON.stringify(await run(await createFileStorage(folder))));
