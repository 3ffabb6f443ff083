// Bundles the command line into one file without imports. Runs as the prepack script of this package.
import { chmod, readFile, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const file = fileURLToPath(new URL('dist/millrace.js', import.meta.url));
await rm(new URL('dist', import.meta.url), { recursive: true, force: true });
const bundle = await rolldown({
  input: fileURLToPath(new URL('../src/cli/client/main.ts', import.meta.url)),
  platform: 'node',
  logLevel: 'warn',
  transform: { target: 'node20' },
});
await bundle.write({ file, format: 'esm', codeSplitting: false, minify: true });
await bundle.close();
await chmod(file, 0o755);
const code = await readFile(file, 'utf8');
const foreign = [...code.matchAll(/^import .* from ["'](?!node:)([^"']+)["']/gm)].map(([, name]) => name);
if (foreign.length > 0) throw new Error(`Expected no packages in the command line, got ${foreign.join(', ')}.`);
