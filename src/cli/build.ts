import { buildDashboard } from '../compose/dashboard.ts';
import { loadPlayerAssets } from '../delivery/player/load-player-assets.ts';

/** `millrace build`: bundles the browser code of the dashboard and the player, so that `serve` does not have to. */
export async function build(): Promise<number> {
  const { files, folder } = await buildDashboard();
  process.stdout.write(`The dashboard is bundled: ${files} files in ${folder}\n`);
  const player = await loadPlayerAssets();
  process.stdout.write(`The player is bundled: ${player.files.size} files\n`);
  return 0;
}
