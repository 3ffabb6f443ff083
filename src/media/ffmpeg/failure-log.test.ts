import { expect, test } from 'vitest';
import { failureLog } from './failure-log.ts';
import { FfmpegFailed } from './run-ffmpeg.ts';

const failed = (messages: string) =>
  new Error('The task failed.', { cause: new FfmpegFailed('failed', 'It failed.', messages) });

test('returns the last lines of the failed run without local paths', () => {
  const messages =
    "[error] /var/lib/mr-1/x.mp4: no\nInput #0, from 'file:/in/source':\n/in/source-of/a/x.mp4\n/out/part.mp4 " +
    '1/25 s http://a.example/b/c\n';
  expect(failureLog(failed(messages))).toBe(
    "[error] …/x.mp4: no\nInput #0, from 'file:/in/source':\n…/x.mp4\n/out/part.mp4 1/25 s http://a.example/b/c",
  );
  const many = Array.from({ length: 1_000 }, (_, line) => `${line} ${'x'.repeat(300)}`).join('\n');
  const kept = failureLog(failed(many)) ?? '';
  expect(kept.length).toBeLessThanOrEqual(8_192);
  expect(kept).toContain('999 xxx');
});

test('returns null for other errors and for runs without messages', () => {
  expect(failureLog(new Error('Other.'))).toBeNull();
  expect(failureLog(failed('\n'))).toBeNull();
});
