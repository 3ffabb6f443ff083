import { createFileStorage } from '../../src/adapters/storage/file-storage.ts';
import { startMover } from '../../src/jobs/housekeeping/mover.ts';

// Runs as a separate process that the test kills: move-child.ts {from} {to}. Writes output at the start, at each object
// and at the end.

const [, , from = '', to = ''] = process.argv;
const newer = await createFileStorage(to);
startMover({
  from: await createFileStorage(from),
  to: {
    ...newer,
    async put(...put) {
      process.stdout.write('.');
      return await newer.put(...put);
    },
  },
  takeLock: async () => ({ check: async () => undefined, release: async () => undefined }),
  report: (error) => process.stderr.write(String(error)),
});
