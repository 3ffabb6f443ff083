import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, 35 s and more: begun last, one of them would run alone at the end. */
const LONGEST: readonly string[] = [
  'test/soak/speech-faults.test.ts',
  'test/soak/kills.test.ts',
  'test/house/serve.test.ts',
  'test/conformance/fuzz.test.ts',
  'test/e2e/dashboard-uploads.test.ts',
  'test/live/ladder.test.ts',
  'test/live/faults.test.ts',
  'test/e2e/first-way.test.ts',
  'test/delivery/drm.test.ts',
  'test/delivery/player-states.test.ts',
  'test/e2e/dashboard-screens.test.ts',
  'test/soak/players.test.ts',
  'test/faults/full-disk.test.ts',
  'test/uploads/service.test.ts',
  'test/live/nodes.test.ts',
  'test/e2e/starts.test.ts',
  'test/jobs/crash.test.ts',
  'test/media/damaged-copy.test.ts',
  'test/jobs/encode.test.ts',
  'test/jit/viewers.test.ts',
  'test/jobs/codec.test.ts',
  'test/media/codecs.test.ts',
  'test/jit/service.test.ts',
  'test/jit/on-demand.test.ts',
  'test/jit/sound.test.ts',
  'test/media/codecs-playback.test.ts',
];

/** Begins with the longest files, in a fresh clone too, where nothing is known of earlier runs. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.indexOf(path.relative(this.ctx.config.root, moduleId));
      return at === -1 ? LONGEST.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
