import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { publishLoop } from '../../../test/support/flv-loop.ts';

// Publishes one clip to many URLs, started over two seconds so that their keyframes do not coincide. Arguments:
// the clip, and the URLs. Exits on SIGTERM, or with an error if a connection is lost.
const [clip = '', ...addresses] = process.argv.slice(2);
const bytes = readFileSync(clip);
for (const address of addresses) {
  const { closed } = await publishLoop(address, bytes);
  void closed.then(() => {
    process.stderr.write(`The publisher of ${address} was lost.\n`);
    process.exit(1);
  });
  await sleep(2_000 / addresses.length);
}
process.stdout.write('published\n');
