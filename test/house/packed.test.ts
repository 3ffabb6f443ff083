import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PACKED } from '../../bin/launcher/packed.js';
import { projectRoot } from '../../scripts/run-program.ts';

const run = promisify(execFile);
const packed = join(projectRoot, 'bin/launcher/packed.js');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-packed-'));
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('this process and its children import bundled packages with the same exports', async () => {
  const [own, child] = await Promise.all([importPacked(), importPacked('in a child')]);
  const files = Object.fromEntries(PACKED.map((name) => [name, name.replace('/', '-')]));
  for (const { resolved, exports } of [own, child]) {
    for (const name of PACKED) {
      expect(resolved[name]).toMatch(new RegExp(`\\.cache/packed/[0-9a-f]{16}/${files[name]}\\.mjs$`));
      expect(new Set(exports[name])).toEqual(new Set(Object.keys(await import(name))));
    }
  }
  const [only = '', ...others] = readdirSync(join(folder, '.cache/packed'));
  expect(others).toEqual([]);
  expect(existsSync(join(folder, '.cache/packed', only, 'hook.mjs'))).toBe(true);
});

test('imports packages without bundles if the folder cannot be created', async () => {
  writeFileSync(join(folder, '.cache'), 'a file in the way');
  const { resolved } = await importPacked();
  for (const name of PACKED) expect(resolved[name]).toContain('/node_modules/');
});

test('a short command does not make bundles, but uses those of a service', async () => {
  const before = await importPacked('', false);
  for (const name of PACKED) expect(before.resolved[name]).toContain('/node_modules/');
  expect(existsSync(join(folder, '.cache'))).toBe(false);
  await importPacked();
  const after = await importPacked('', false);
  for (const name of PACKED) expect(after.resolved[name]).toContain('/.cache/packed/');
});

type Imported = { resolved: Record<string, string>; exports: Record<string, string[]> };

async function importPacked(inChild = '', packs = true): Promise<Imported> {
  const look = `const resolved = {}, exports = {};
    for (const name of ${JSON.stringify(PACKED)}) {
      resolved[name] = import.meta.resolve(name);
      exports[name] = Object.keys(await import(name));
    }
    console.log(JSON.stringify({ resolved, exports }));`;
  const use = `const { usePackedPackages } = await import(${JSON.stringify(packed)});
    await usePackedPackages(${JSON.stringify(folder)}, { packs: ${packs} });`;
  const spawned = `const { execFileSync } = await import('node:child_process');
    process.stdout.write(execFileSync(process.execPath, ['--input-type=module', '-e', ${JSON.stringify(look)}]));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', use + (inChild ? spawned : look)], {
    cwd: projectRoot,
  });
  // The script of the process prints an `Imported` as JSON.
  return JSON.parse(stdout) as Imported;
}
