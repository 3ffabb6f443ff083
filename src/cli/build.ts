import { buildDashboard } from '../compose/dashboard.ts';

/** `millrace build`: packs the browser code of the dashboard, so that a start does not have to. */
export async function build(): Promise<number> {
  const { files, folder } = await buildDashboard();
  process.stdout.write(`The dashboard is bundled: ${files} files in ${folder}\n`);
  return 0;
}
