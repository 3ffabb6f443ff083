import { afterAll, beforeAll, expect, test } from 'vitest';
import { collect, factsOf, makeClip, makeFolder } from '../../../../test/support/media/run-clip.ts';
import { normaliseInit } from '../../cmaf/init-segment.ts';
import { createStreamSplitter } from '../../cmaf/stream-splitter.ts';
import { planFrameGrid } from '../../timeline/cut-list.ts';
import { planEncode } from '../encode.ts';
import { planLadder } from '../ladder.ts';
import { h264 } from './h264.ts';

let dir: string;
let remove: () => Promise<void>;
beforeAll(async () => ({ dir, remove } = await makeFolder()));
afterAll(() => remove());

test('segments encoded for a waiting viewer share the init segment of background segments', async () => {
  const path = await makeClip(dir, 'a.mkv', ['-f', 'lavfi', '-i', 'testsrc2=s=426x240:r=25:d=1', '-c:v', 'ffv1']);
  const facts = await factsOf(path);
  const cutList = planFrameGrid(facts);
  const inits = [];
  for (const isAwaited of [true, false]) {
    const job = { facts, cutList, range: { fromSegment: 0, toSegment: 1 }, codec: h264, watermark: null, isAwaited };
    const rungs = planLadder(facts, { allowedRungs: [240] });
    const { outputs } = await collect(planEncode({ ...job, rungs, decoderThreads: 1, encoderThreads: 1 }), path);
    const parts = createStreamSplitter().push(outputs[0] ?? Buffer.alloc(0));
    for (const part of parts) if (part.kind === 'init') inits.push(normaliseInit(part.bytes));
  }
  expect(inits).toHaveLength(2);
  expect(inits[0]).toEqual(inits[1]);
});
