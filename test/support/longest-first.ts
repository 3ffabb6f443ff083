import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, those that mostly wait among them: begun last, one of them would run alone at the end. */
const LONGEST: readonly string[] = [
  'test/soak/kills.test.ts',
  'test/e2e/first-way.test.ts',
  'test/jobs/crash.test.ts',
  'test/delivery/player-states.test.ts',
  'test/house/serve.test.ts',
  'test/jobs/codec.test.ts',
  'test/jobs/encode.test.ts',
  'test/jit/on-demand.test.ts',
  'test/media/codecs-playback.test.ts',
  'test/faults/full-disk.test.ts',
  'test/e2e/starts.test.ts',
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
