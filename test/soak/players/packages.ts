import path from 'node:path';
import { installPackages, type Locate } from '../../support/install-packages.ts';

const root = path.resolve(import.meta.dirname, '../../..');

/**
 * The players that the project has installed for other tests, by the names that `package.json` beside this file gives
 * them.
 */
export function ownPackages(): Locate {
  return (file) => path.join(root, 'node_modules', file.replace(/^shaka-player-5\//, 'shaka-player/'));
}

/** Installs the players of npm into `.cache/players`: 420 MB on disk, which nothing but this soak needs. */
export function installPlayers(): Promise<Locate> {
  return installPackages(import.meta.dirname, path.join(root, '.cache/players'));
}
