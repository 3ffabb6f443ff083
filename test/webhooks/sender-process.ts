import { openDatabase } from '../../src/catalog/db.ts';
import { startSender } from './webhook-sender.ts';

// A sender in a separate process, for tests that kill it. Argument: the folder of the database's socket.
const [host] = process.argv.slice(2);
if (host === undefined) throw new Error('Expected the folder of the database.');

const onError = (error: unknown) => void process.stderr.write(`${error}\n`);
await startSender(openDatabase({ host, user: 'millrace', database: 'postgres' }, onError), { onError });
process.stdout.write('ready\n');
