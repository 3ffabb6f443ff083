import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from './run-child.js';

const WANTED_MAJOR = 24;

/**
 * Returns the Node with which to start again, or null if the running one is sufficient. Throws if the running one is
 * too old and the packages contain none (they have one for Linux on x64 and arm64).
 * @param {string} root
 * @param {string} version as in process.version
 * @param {string} arch as in process.arch
 * @returns {string | null}
 */
export function pinnedNodeFor(root, version, arch = process.arch) {
  const major = Number(/^v(\d+)\./.exec(version)?.[1]);
  if (major >= WANTED_MAJOR) return null;
  const pinned = join(root, `node_modules/node-linux-${arch}/bin/node`);
  if (existsSync(pinned)) return pinned;
  if (!['x64', 'arm64'].includes(arch)) {
    throw new Error(
      `Expected Node ${WANTED_MAJOR} or newer, or an x64 or arm64 processor for the packaged Node, got ` +
        `${version} on ${arch}. Install Node ${WANTED_MAJOR}.`,
    );
  }
  throw new Error(
    `Expected Node ${WANTED_MAJOR} or newer, got ${version}. Install it, or run npm install for the packaged Node.`,
  );
}

/**
 * Runs a script with a different Node, as a replacement for this process. The channel to the child closes when this
 * process dies, even by kill -9, and the child then exits.
 * @param {string} node
 * @param {readonly string[]} args
 * @returns {Promise<number>}
 */
export async function runWithNode(node, args) {
  return await runChild(node, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
}
