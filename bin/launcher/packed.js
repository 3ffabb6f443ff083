import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runChild } from './run-child.js';

/**
 * Packages of hundreds of small modules, by the names that the code imports. As bundles, they load ten times as fast
 * and use a fifth of the memory (docs/decisions/005-packed-packages.md).
 */
export const PACKED = ['kysely', 'kysely/migration', 'pg-boss', 'typebox', 'typebox/compile', 'typebox/value'];

/**
 * Bundles the packages of `PACKED` into `.cache/packed/`, unless this was already done for the installed versions. This
 * process and its children then import them from there. If bundling fails, the original packages are used. Without
 * `packs`, they are also used if there are no bundles yet, so that a short command does not wait for them.
 * @param {string} root
 * @param {{ packs: boolean }} options
 */
export async function usePackedPackages(root, { packs }) {
  if (!packs && !existsSync(join(root, '.cache/packed'))) return;
  const folder = join(root, '.cache/packed', versionsOf(root));
  const hook = join(folder, 'hook.mjs');
  if (!existsSync(hook)) {
    if (!packs || !canWrite(join(root, '.cache/packed'))) return;
    // Bundle in a separate process, because this process would keep the memory needed for bundling.
    const code = await runChild(process.execPath, [join(import.meta.dirname, 'pack.js'), root, folder], {
      stdio: ['ignore', 2, 2],
    });
    if (code !== 0) {
      process.stderr.write(
        `millrace: startup takes longer, because bundling packages ended with code ${code}. See its messages above.\n`,
      );
      return;
    }
  }
  const { href } = pathToFileURL(hook);
  process.env.NODE_OPTIONS = [process.env.NODE_OPTIONS, `--import=${href}`].filter(Boolean).join(' ');
  await import(href);
}

/**
 * Returns a folder name that changes with the version of each bundled package.
 * @param {string} root
 */
function versionsOf(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8'));
  const names = ['rolldown', ...PACKED];
  const versions = names.map((name) => `${name}@${packages[`node_modules/${name.split('/')[0]}`]?.version}`);
  return createHash('sha256').update(versions.join(' ')).digest('hex').slice(0, 16);
}

/** @param {string} folder */
function canWrite(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch (error) {
    process.stderr.write(
      'millrace: startup takes longer, because packages cannot be bundled: ' +
        `${error instanceof Error ? error.message : error}\n`,
    );
    return false;
  }
}
