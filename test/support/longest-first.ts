import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest files, which take at least half a minute. If they began last, one of them would run alone at the end. */
const LONGEST: readonly string[] = [
  'test/house/cli.test.ts',
  'test/e2e/dashboard-lists.test.ts',
  'test/soak/per-title.test.ts',
  'test/live/ladder.test.ts',
  'test/faults/bad-input.test.ts',
  'test/e2e/newcomer.test.ts',
  'src/media/encode/run-encode.test.ts',
  'test/media/playback.test.ts',
  'test/house/upgrade.test.ts',
  'test/on-demand/viewers.test.ts',
  'test/conformance/fuzz.test.ts',
  'test/house/serve.test.ts',
  'test/live/gaps.test.ts',
  'test/live/proxy-protocol.test.ts',
  'test/live/disconnected.test.ts',
  'test/live/stream-end.test.ts',
  'test/delivery/player-states.test.ts',
  'test/delivery/share-pages.test.ts',
  'test/delivery/share-comments-page.test.ts',
  'test/e2e/review.test.ts',
  'test/delivery/drm.test.ts',
  'test/e2e/first-way.test.ts',
  'test/e2e/dashboard-screens.test.ts',
  'test/jobs/crash.test.ts',
  'test/live/live.test.ts',
  'test/live/live-page.test.ts',
  'test/live/interrupted.test.ts',
  'test/on-demand/on-demand.test.ts',
  'test/jobs/encode.test.ts',
  'test/delivery/player-recovery.test.ts',
  'test/e2e/speech.test.ts',
  'test/delivery/player.test.ts',
  'test/live/rtmp-and-srt.test.ts',
  'test/media/recorded-canvas.test.ts',
  'test/soak/av-sync.test.ts',
  'test/e2e/dashboard-audio.test.ts',
  'test/live/protected.test.ts',
  'test/imports/folder.test.ts',
];

/** Starts with the slowest files, even in a fresh clone without data from earlier runs. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = LONGEST.indexOf(path.relative(this.ctx.config.root, moduleId));
      return index === -1 ? LONGEST.length : index;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
