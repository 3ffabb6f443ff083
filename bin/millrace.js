#!/usr/bin/env node
// Plain JavaScript for Node 20 and newer, because it must run before anything is installed.
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from './launcher/install.js';
import { pinnedNodeFor, runWithNode } from './launcher/node.js';
import { usePackedPackages } from './launcher/packed.js';
import { ensureTools } from './launcher/tools.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const args = process.argv.slice(2);
const command = args[0] ?? 'help';

/** Commands for developers, whose code is in `scripts/`. They need the development packages. */
const DEVELOPER_COMMANDS = ['test', 'check', 'bench', 'soak', 'mutate', 'release'];
const isForDevelopers = DEVELOPER_COMMANDS.includes(command);

keepCompiledCode();

/**
 * Enables Node's compile cache for this process and its children, so that they start in half the time and use less
 * memory. Does nothing if the folder is not writable.
 */
function keepCompiledCode() {
  const folder = join(root, '.cache/compiled');
  module.enableCompileCache?.(folder);
  process.env.NODE_COMPILE_CACHE ??= folder;
}

/** Runs the command and returns its exit code. */
async function launch() {
  await ensureInstalled(root, { withDev: isForDevelopers });
  await ensureTools(command);
  const pinned = pinnedNodeFor(root, process.version);
  if (pinned !== null) return await runWithNode(pinned, [fileURLToPath(import.meta.url), ...args]);
  if (!isForDevelopers) await usePackedPackages(root, { packs: ['serve', 'build'].includes(command) });
  const { main } = await import(join(root, isForDevelopers ? 'scripts/main.ts' : 'src/cli/main.ts'));
  return await main(args);
}

try {
  process.exit(await launch());
} catch (error) {
  process.stderr.write(`millrace: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
