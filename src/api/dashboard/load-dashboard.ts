import path from 'node:path';
import { loadPacked, type PackedFile, type Packing } from '../../lib/packed-code.ts';
import type { PackedDashboard } from './pack-dashboard.ts';

/**
 * The dashboard's files by name. A name changes with its bytes; `script` and `style` are the names that the page
 * references.
 */
export type DashboardFiles = { script: string; style: string; files: ReadonlyMap<string, PackedFile> };

export const DASHBOARD: Packing = {
  name: 'dashboard',
  program: path.join(import.meta.dirname, 'pack-dashboard.ts'),
  folders: ['web/dashboard', 'sdk/src'],
  packages: [
    ...['preact', '@preact/signals', 'uplot', 'uqr', 'd3-geo', 'topojson-client', 'world-atlas'],
    ...['i18n-iso-countries', 'marked', '@simplewebauthn/browser', 'rolldown'],
  ],
};

/** Loads the bundle of the dashboard. Bundles the current source first if no bundle exists. */
export async function loadDashboard(): Promise<DashboardFiles> {
  const { list, files } = await loadPacked<PackedDashboard>(DASHBOARD, ({ names }) => names);
  return { script: list.script, style: list.style, files };
}
