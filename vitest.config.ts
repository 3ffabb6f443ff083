import { defineConfig } from 'vitest/config';
import { findUnitTests } from './scripts/unit-tests.ts';
import { LongestFirst } from './test/support/longest-first.ts';

/** What takes minutes, and shows over a long time what other tests show once: `npm run soak`. */
const SOAKS = [
  'media',
  'players',
  'edge-memory',
  'upload-memory',
  'encoder-memory',
  'live-changes',
  'viewing',
  'media-sync',
  'live-gaps',
].map((name) => `test/soak/${name}.test.ts`);

// biome-ignore lint/style/noDefaultExport: vitest reads its settings from the default export.
export default defineConfig(async ({ mode }) => ({
  test: {
    include:
      mode === 'unit'
        ? await findUnitTests(import.meta.dirname)
        : ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/**/*.test.ts', '{bench,scripts}/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/house/violations/**', ...(mode === 'soak' ? [] : SOAKS)],
    // Node runs our code as it stands, as it does in service, and keeps what it compiled.
    experimental: { viteModuleRunner: false },
    globalSetup: ['test/support/run-folder.ts'],
    // No file changes what another would see of a process: few processes, which load each module once.
    isolate: false,
    // Two cores: files of long tests take a third of one each, since they wait for clocks, leases and moving pictures;
    // media tests start encoders of their own, so no more than these run side by side.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Bounds on hanging, not on speed: what is waited for may wait for a processor itself, which each look takes too.
    expect: { poll: { timeout: 20_000, interval: 100 } },
    testTimeout: 360_000,
    hookTimeout: 360_000,
  },
}));
