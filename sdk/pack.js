// Compiles the TypeScript of this package to JavaScript and declarations. Runs as its prepack script, with the packages
// that the first `npm start` installs.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isolatedDeclarationSync, transformSync } from 'rolldown/experimental';

const from = new URL('src/', import.meta.url);
const to = new URL('dist/', import.meta.url);
await rm(to, { recursive: true, force: true });
await mkdir(to);
for (const file of await readdir(from)) {
  const name = file.slice(0, -'.ts'.length);
  const source = await readFile(new URL(file, from), 'utf8');
  const script = transformSync(file, source, { target: 'es2023', typescript: { rewriteImportExtensions: 'rewrite' } });
  const types = isolatedDeclarationSync(file, source);
  const [error] = [...script.errors, ...types.errors];
  if (error !== undefined) throw new Error(`${file} cannot be compiled: ${error.message}`);
  await writeFile(new URL(`${name}.js`, to), script.code);
  // Without an export, the declarations of a file would be global.
  await writeFile(new URL(`${name}.d.ts`, to), `${types.code}export {};\n`);
}
