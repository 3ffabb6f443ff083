import { createFileStorage } from '../../src/adapters/storage/file-storage.ts';
import { openDatabase } from '../../src/catalog/db.ts';
import { startWorker } from './worker-fixture.ts';

// A worker in a separate process, for tests that kill it. Arguments: database folder, object folder, cache folder.
const [host, objects, cache] = process.argv.slice(2);
if (host === undefined || objects === undefined || cache === undefined) throw new Error('Expected three folders.');

const report = (error: Error) => void process.stderr.write(`${error.stack}\n`);
const database = openDatabase({ host, user: 'millrace', database: 'postgres' }, report);
await startWorker({
  database,
  storage: await createFileStorage(objects),
  cache,
  onError: report,
  slots: { quickSlots: 4, longSlots: 1 },
});
process.stdout.write('ready\n');
