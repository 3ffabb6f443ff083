import { defineConfig, type TestProjectConfiguration, type ViteUserConfig } from 'vitest/config';
import { findUnitTests } from './scripts/unit-tests.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { REAL_TIME } from './test/support/real-time.ts';

/** Tests that take minutes, and that only `npm run soak` runs. Other files of `test/soak` have a short version. */
const SOAKS = [
  'media',
  'players',
  'edge-memory',
  'upload-memory',
  'encoder-memory',
  'live-changes',
  'late-media',
  'viewing',
  'media-sync',
  'live-gaps',
  'rolling-upgrade',
  'arm64',
  'millrace-kills',
  'speech-faults',
  'kills',
  'joined-faults',
  'added-tracks',
  'late-video',
  'middle-audio',
  'nodes',
  'imports',
  'edge',
  'long-gops',
].map((name) => `test/soak/${name}.test.ts`);

/**
 * Long files, without which `npm test` takes about an hour on a slow machine, and files that judge real-time playback so
 * strictly that a machine fails them that pauses a page for some 100 ms. `npm test -- --mode soak FILE` runs one of them.
 */
const LONG = [
  'src/media/encode/run-colours.test.ts',
  'src/media/encode/run-odd-picture.test.ts',
  'src/media/pass-through/write-segment.test.ts',
  'test/delivery/player-start.test.ts',
  'test/e2e/dashboard-actions.test.ts',
  'test/e2e/dashboard-uploads.test.ts',
  'test/e2e/editing.test.ts',
  'test/e2e/exports.test.ts',
  'test/e2e/notifications.test.ts',
  'test/e2e/playlists.test.ts',
  'test/faults/full-disk.test.ts',
  'test/house/cli-verbs.test.ts',
  'test/house/log-stories.test.ts',
  'test/imports/export-bucket.test.ts',
  'test/imports/export-faults.test.ts',
  'test/imports/export-job.test.ts',
  'test/imports/faults.test.ts',
  'test/imports/new-guids.test.ts',
  'test/imports/odd-library.test.ts',
  'test/jobs/codec.test.ts',
  'test/jobs/compose.test.ts',
  'test/jobs/images.test.ts',
  'test/jobs/merge.test.ts',
  'test/jobs/odd-sources.test.ts',
  'test/live/faults.test.ts',
  'test/live/gap-players.test.ts',
  'test/live/gap-variants.test.ts',
  'test/live/joined.test.ts',
  'test/live/late-audio.test.ts',
  'test/live/odd-codecs.test.ts',
  'test/live/restarted-ingest.test.ts',
  'test/live/strange-publishers.test.ts',
  'test/live/webkit-live.test.ts',
  'test/live/whip-changes.test.ts',
  'test/live/whip-pauses.test.ts',
  'test/media/audio-tracks.test.ts',
  'test/media/images.test.ts',
  'test/media/sound.test.ts',
  'test/media/watermark.test.ts',
  'test/on-demand/sound.test.ts',
  'test/ports/voice-detector.test.ts',
];

const LEFT_OUT = ['**/node_modules/**', 'test/house/violations/**'];

/** The whole suite in two groups, one after the other. */
const GROUPS: TestProjectConfiguration[] = [
  {
    extends: true,
    test: {
      name: 'parallel',
      include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/**/*.test.ts', '{bench,scripts}/**/*.test.ts'],
      exclude: [...LEFT_OUT, ...SOAKS, ...LONG, ...REAL_TIME],
      // For two cores. Files start services, browsers and encoders, and more of them in parallel would exceed time
      // limits that a file meets when it runs alone.
      maxWorkers: 3,
      sequence: { groupOrder: 0 },
    },
  },
  {
    extends: true,
    test: { name: 'real time', include: [...REAL_TIME], maxWorkers: 2, sequence: { groupOrder: 1 } },
  },
];

// biome-ignore lint/style/noDefaultExport: vitest reads its settings from the default export.
export default defineConfig(async ({ mode }) => ({
  test: {
    ...(await filesOf(mode)),
    exclude: LEFT_OUT,
    // Node runs our code unchanged, as in production, and caches the compiled code.
    experimental: { viteModuleRunner: false },
    globalSetup: ['test/support/run-folder.ts'],
    // No test file changes the state of its process. Few processes are needed, and each loads a module once.
    isolate: false,
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Bounds on hanging, not on speed: the awaited work may itself wait for a processor.
    expect: { poll: { timeout: 20_000, interval: 100 } },
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
}));

async function filesOf(mode: string): Promise<NonNullable<ViteUserConfig['test']>> {
  switch (mode) {
    case 'unit':
      return { include: await findUnitTests(import.meta.dirname) };
    case 'soak':
      return { include: ['test/soak/*.test.ts', ...LONG] };
    default:
      return { projects: GROUPS };
  }
}
