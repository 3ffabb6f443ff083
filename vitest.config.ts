import { defineConfig } from 'vitest/config';

// Two cores: media tests start encoders of their own, so few files run side by side.
// biome-ignore lint/style/noDefaultExport: vitest reads its settings from the default export.
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/house/violations/**'],
    // Node runs our code as it stands, as it does in service, and keeps what it compiled.
    experimental: { viteModuleRunner: false },
    globalSetup: ['test/support/database-template.ts'],
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
