// Bundles npm packages of many small modules into a few files. Usage: pack.js ROOT FOLDER.
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { PACKED } from './packed.js';

/** Time after which partial results of killed runs, and bundles for other versions, are deleted, in ms. */
const KEPT_MS = 30 * 24 * 3600 * 1000;

/** Packages that are not bundled, because the service also imports them and must get the same module instance. */
const SHARED = ['pg'];

const [root = '', folder = ''] = process.argv.slice(2);
await pack(root, folder);

/**
 * Builds the bundles next to the destination and moves them there atomically, so that other processes and kills never
 * leave or see a partial result.
 * @param {string} root
 * @param {string} folder
 */
async function pack(root, folder) {
  const parent = dirname(folder);
  const draft = mkdtempSync(join(parent, 'draft-'));
  try {
    await writePackages(root, draft);
    writeFileSync(join(draft, 'hook.mjs'), hookSource());
    renameSync(draft, folder);
    dropOld(parent);
  } catch (error) {
    // Another process finished first. Its result is equivalent.
    if (!existsSync(join(folder, 'hook.mjs'))) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Deletes old bundles. They are kept for a while, because a service that was started before an upgrade still imports
 * from its own folder.
 * @param {string} parent
 */
function dropOld(parent) {
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}

/**
 * @param {string} root
 * @param {string} folder
 */
async function writePackages(root, folder) {
  const input = Object.fromEntries(PACKED.map((name) => [fileNameOf(name), name]));
  const bundle = await rolldown({ input, cwd: root, platform: 'node', external: SHARED, logLevel: 'silent' });
  try {
    await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: 'part-[hash].mjs' });
  } finally {
    await bundle.close();
  }
}

/** Returns the source of a module that redirects imports of the bundled packages to the files next to it. */
function hookSource() {
  const files = Object.fromEntries(PACKED.map((name) => [name, `./${fileNameOf(name)}.mjs`]));
  return `import { registerHooks } from 'node:module';
const files = new Map(Object.entries(${JSON.stringify(files)}));
registerHooks({
  resolve(name, context, next) {
    const file = files.get(name);
    if (file === undefined) return next(name, context);
    return { url: new URL(file, import.meta.url).href, format: 'module', shortCircuit: true };
  },
});
`;
}

/** @param {string} name */
function fileNameOf(name) {
  return name.replace('/', '-');
}
