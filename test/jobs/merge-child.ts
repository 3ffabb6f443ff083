import { createFileStorage } from '../../src/adapters/storage/file-storage.ts';
import { openDatabase } from '../../src/catalog/db.ts';
import { mergeChunks } from '../../src/jobs/housekeeping/merge-chunks.ts';

// Merges in a separate process: merge-child.ts {database folder} {objects} {put}. Kills itself after writing `put`
// objects. With 0 it runs to completion.
const [host = '', objects = '', put = '0'] = process.argv.slice(2);
const report = (error: Error) => void process.stderr.write(`${error.stack}\n`);
const database = openDatabase({ host, user: 'millrace', database: 'postgres' }, report);
const storage = await createFileStorage(objects);
let written = 0;
const dying: typeof storage = {
  ...storage,
  async put(...args) {
    const object = await storage.put(...args);
    written += 1;
    if (written === Number(put)) process.kill(process.pid, 'SIGKILL');
    return object;
  },
};
await mergeChunks.run({}, { db: database.db, storage: dying, report }, new AbortController().signal);
await database.close();
