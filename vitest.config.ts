import { defineConfig } from 'vitest/config';
import { findUnitTests } from './scripts/unit-tests.ts';
import { LongestFirst } from './test/support/longest-first.ts';

/** Tests that take minutes and repeat for a long time what other tests check once. `npm run soak` runs them. */
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
    // Node runs our code unchanged, as in production, and caches the compiled code.
    experimental: { viteModuleRunner: false },
    globalSetup: ['test/support/run-folder.ts'],
    // No test file changes the state of its process. Few processes are needed, and each loads a module once.
    isolate: false,
    // Two cores: files of long tests take a third of one each, because they wait for clocks, leases and moving
    // pictures. Media tests start their own encoders, so at most these run in parallel.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Bounds on hanging, not on speed: the awaited work may itself wait for a processor.
    expect: { poll: { timeout: 20_000, interval: 100 } },
    testTimeout: 360_000,
    hookTimeout: 360_000,
  },
}));
