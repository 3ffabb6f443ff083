import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { projectRoot } from '../../scripts/run-program.ts';

/** User `nobody`, who has no privileges, and the command prefix that runs a program as that user. */
export const NOBODY = { id: 65_534, command: ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'] };

/** True if this process may run programs as the user `nobody`, and that user can read the project. */
export const canBecomeNobody: boolean = (() => {
  const [program = '', ...args] = [...NOBODY.command, process.execPath, join(projectRoot, 'bin/millrace.js'), 'help'];
  return process.getuid?.() === 0 && spawnSync(program, args).status === 0;
})();

/**
 * Path of the system's Node if there is one, or else of the pinned Node. Debian's Node is older than the pinned one.
 */
export const olderNode: string = findSystemNode() ?? process.execPath;

function findSystemNode(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return folders.map((folder) => join(folder, 'node')).find(canRun);
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Tries the next folder of PATH.
    return false;
  }
}
