import path from 'node:path';
import { installPackages, type Locate } from '../../support/install-packages.ts';

const root = path.resolve(import.meta.dirname, '../../..');

/** Installs the npm players into `.cache/players`: 420 MB on disk, needed only by this soak. */
export function installPlayers(): Promise<Locate> {
  return installPackages(import.meta.dirname, path.join(root, '.cache/players'));
}
