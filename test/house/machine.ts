import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { projectRoot } from '../../scripts/run-program.ts';

/** The command that runs another as nobody, a user without rights. */
export const NOBODY = { id: 65_534, command: ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'] };

/** Whether this user may become nobody, and nobody may read the project. */
export const canBecomeNobody: boolean = (() => {
  const [program = '', ...args] = [...NOBODY.command, process.execPath, join(projectRoot, 'bin/millrace.js'), 'help'];
  return process.getuid?.() === 0 && spawnSync(program, args).status === 0;
})();

/** The system's Node, which is older than the pinned one on relevant systems, or else the pinned one. */
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
    // The next folder of the path may contain it.
    return false;
  }
}
