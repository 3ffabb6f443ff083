import { defineConfig } from 'vitest/config';

/** Settings of vitest for `npm run mutate`. Each run loads the changed module again. */
// biome-ignore lint/style/noDefaultExport: vitest reads its settings from the default export.
export default defineConfig({
  test: {
    include: ['{src,web,sdk,scripts}/**/*.test.ts'],
    experimental: { viteModuleRunner: false },
    testTimeout: 20_000,
  },
});
