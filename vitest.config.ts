import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

/** What takes minutes, and shows over a long time what other tests show once: `npm run soak`. */
const SOAKS = ['media', 'edge-memory', 'upload-memory', 'encoder-memory', 'live-changes', 'viewing'].map(
  (name) => `test/soak/${name}.test.ts`,
);

/** Tests that calculate most of their time: they encode and decode. All others wait most of it, for services and pages. */
const CALCULATING = ['src/**/*.test.ts', 'test/{media,jobs,jit}/**/*.test.ts'];
const OTHERS = ['test/**/*.test.ts', 'web/**/*.test.ts', 'bench/**/*.test.ts'];

// biome-ignore lint/style/noDefaultExport: vitest reads its settings from the default export.
export default defineConfig(({ mode }) => {
  const exclude = ['**/node_modules/**', 'test/house/violations/**', ...(mode === 'soak' ? [] : SOAKS)];
  const shared = {
    // Node runs our code as it stands, as it does in service, and keeps what it compiled.
    experimental: { viteModuleRunner: false },
    // No file changes what another would see of a process: few processes, which load each module once.
    isolate: false,
    // Bounds on hanging, not on speed: what is waited for may wait for a processor itself.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 360_000,
    hookTimeout: 360_000,
  };
  return {
    test: {
      globalSetup: ['test/support/database-template.ts'],
      sequence: { sequencer: LongestFirst },
      // For two cores. One kind after the other: workers are counted for each.
      projects: [
        {
          test: {
            ...shared,
            name: 'waiting',
            include: OTHERS,
            exclude: [...exclude, ...CALCULATING],
            maxWorkers: 4,
            sequence: { groupOrder: 0 },
          },
        },
        {
          test: {
            ...shared,
            name: 'calculating',
            include: CALCULATING,
            exclude,
            maxWorkers: 3,
            sequence: { groupOrder: 1 },
          },
        },
      ],
    },
  };
});
