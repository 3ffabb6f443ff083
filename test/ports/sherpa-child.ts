// A child process that replaces sherpa-onnx's. It dies by a signal at spans whose first sample is 1, and once per
// program folder at those whose first sample is 2. It responds to all others.
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';

process.once('disconnect', () => process.exit(0));
process.on('message', ({ id, samples }: { id: number; samples: Uint8Array }) => {
  const mark = path.join(import.meta.dirname, 'crashed');
  if (Object.keys(process.env).some((name) => name.startsWith('MILLRACE_'))) process.exit(9);
  if (samples[0] === 1) process.kill(process.pid, 'SIGSEGV');
  else if (samples[0] === 2 && !existsSync(mark)) {
    writeFileSync(mark, '');
    process.stderr.write('a fault of native code\n');
    process.abort();
  } else if (samples[0] === 3) process.send?.({ id, failure: 'no such model', isMissing: false });
  else process.send?.({ id, span: { text: `child ${process.pid}`, tokens: [], timestamps: [] } });
});
