import { execFile } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { Refused } from '../../lib/refused.ts';
import { EncoderBudget } from '../../media/live/publishing/run-publisher-media.ts';
import { type SrtServer, startSrt } from './start-srt.ts';

const TONE = ['-f', 'lavfi', '-i', 'anullsrc=d=0.2', '-c:a', 'aac', '-f', 'mpegts'];

let server: SrtServer;
afterEach(() => server.close());

/** Publishes a short silence with a stream id. Resolves when the publisher has ended. */
const publish = (streamId: string) =>
  new Promise<void>((resolve) => {
    const target = `srt://127.0.0.1:${server.port}?streamid=${streamId}`;
    execFile('ffmpeg', ['-nostdin', '-v', 'quiet', ...TONE, target], () => resolve());
  });

test('wrong keys from an address do not lock out a valid key', async () => {
  const published: string[] = [];
  server = await startSrt({
    host: '127.0.0.1',
    port: 0,
    passphrase: null,
    budget: new EncoderBudget(1),
    attempts: { burst: 1, perSec: 0 },
    report: () => undefined,
    async check(name) {
      if (name !== 'valid') throw new Refused('not-found', 'No stream has this key.');
      return { streamKey: name, isSecret: false };
    },
    async publish({ streamKey }) {
      published.push(streamKey);
      throw new Refused('unavailable', 'This test publishes nothing.');
    },
  });
  for (const wrong of ['wrong', 'worse']) await publish(wrong);
  await publish('valid');
  await expect.poll(() => published).toEqual(['valid']);
});
