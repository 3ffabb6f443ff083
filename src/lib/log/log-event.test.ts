import { afterEach, expect, test, vi } from 'vitest';
import { captureLog } from '../../../test/support/capture-log.ts';
import { withLogContext } from './log-context.ts';
import { type LogLine, logEvent, setLogSink } from './log-event.ts';
import { parseLevels } from './log-levels.ts';
import { registerSecrets } from './redact.ts';

const PARTS = ['live', 'tasks', 'ingest', 'webhook'];

afterEach(() => {
  setLogSink(null);
  vi.useRealTimers();
});

/** Returns the names of the lines that are written under these levels. */
function written(levels: string, role: string | null): unknown[] {
  const lines: LogLine[] = [];
  const write = (line: LogLine) => void lines.push(line);
  setLogSink({ role, levels: parseLevels(levels, PARTS) ?? expect.unreachable(), accessLog: 'off', write });
  logEvent('job.begun', { name: 'sweep', jobId: '1', attempt: 1 });
  logEvent('stream.started', { streamGuid: 's', libraryId: 1 });
  logEvent('webhook.error', { err: new Error('away') });
  return lines.map(({ fields }) => fields.event);
}

test.each([
  ['debug', null, ['job.begun', 'stream.started', 'webhook.error']],
  ['info', null, ['stream.started', 'webhook.error']],
  ['error', null, ['webhook.error']],
  ['warn,tasks=debug', null, ['job.begun', 'webhook.error']],
  ['error,live=info', 'ingest', ['stream.started', 'webhook.error']],
  ['error,ingest=debug', 'ingest', ['job.begun', 'stream.started', 'webhook.error']],
  ['error,ingest=debug', 'worker', ['webhook.error']],
  ['error,ingest=debug,live=error', 'ingest', ['job.begun', 'webhook.error']],
])('at the levels "%s" the role %s writes %j', (levels, role, expected) => {
  expect(written(levels, role)).toEqual(expected);
});

test('adds the fields of the context, which the fields of a line override', async () => {
  const log = captureLog();
  await withLogContext({ requestId: 'abc', libraryId: 3 }, async () => {
    await Promise.resolve();
    withLogContext({ videoGuid: 'v' }, () => logEvent('request.gone', { operation: 'uploadVideo' }));
    logEvent('stream.started', { streamGuid: 's', libraryId: 4 });
  });
  logEvent('request.gone', { operation: 'none' });
  expect(log.lines.map(({ fields }) => fields)).toEqual([
    { part: 'http', event: 'request.gone', requestId: 'abc', libraryId: 3, videoGuid: 'v', operation: 'uploadVideo' },
    { part: 'live', event: 'stream.started', requestId: 'abc', libraryId: 4, streamGuid: 's' },
    { part: 'http', event: 'request.gone', operation: 'none' },
  ]);
});

test('omits and counts the lines of a flood per key and per event', async () => {
  vi.useFakeTimers();
  const log = captureLog();
  const refuse = (address: string) => logEvent('publisher.refused', { protocol: 'rtmp', address, reason: 'no stream' });
  for (let index = 0; index < 1_000; index += 1) refuse('192.0.2.1');
  expect(log.named('publisher.refused')).toHaveLength(10);
  for (let index = 0; index < 1_000; index += 1) refuse(`198.51.100.${index}`);
  expect(log.named('publisher.refused')).toHaveLength(100);
  logEvent('stream.started', { streamGuid: 's', libraryId: 1 });
  expect(log.named('stream.started')).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(60_001);
  const [summary] = log.named('log.suppressed');
  const counted = log.named('publisher.refused').reduce((sum, { suppressed }) => sum + Number(suppressed ?? 0), 0);
  expect(counted + Number(summary?.suppressed)).toBe(2_000 - 100);
  expect(summary).toMatchObject({ name: 'publisher.refused' });
  refuse('192.0.2.1');
  expect(log.named('publisher.refused')).toHaveLength(101);
});

const KEY = 'ab12'.repeat(16);

test.each([
  ['postgres://millrace:hunter22@db:5432/x refused', 'hunter22'],
  [`GET /library/1/videos?accessKey=${KEY.slice(0, 20)}&page=1`, KEY.slice(0, 20)],
  ['/vz-1/bcdn_token=HS256-abcDEF&expires=1/video/playlist.m3u8', 'abcDEF'],
  ['https://s3.example/a?X-Amz-Signature=0badc0de&X-Amz-Credential=AKIAEXAMPLE', '0badc0de'],
  ['https://s3.example/a?X-Amz-Credential=AKIAEXAMPLE', 'AKIAEXAMPLE'],
  ['Authorization: Bearer abc.def-ghi', 'abc.def-ghi'],
  ['{"AccessKey":"short-secret"}', 'short-secret'],
  [`unexpected ${KEY} in text`, KEY],
  ['publishing to rtmp://127.0.0.1:1935/live/some-stream-key failed', 'some-stream-key'],
  ['no stream bunnylive_0123456789abcdef0123456789abcdef', '0123456789abcdef'],
  ['key 0f8fad5b-d9cb-469f-a165-70867728950e of the zone', '0f8fad5b'],
  ['ticket AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE here', 'AbCdEfGh'],
  ['GET /share/mistyped-link?video=1', 'mistyped'],
  ['link AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdEx of 44 characters', 'AbCdEfGh'],
  [`key ${KEY}0 of 65 characters`, KEY],
  ['the phrase tell-nobody of the settings', 'tell-nobody'],
])('masks the secret in "%s"', (text, secret) => {
  registerSecrets(['tell-nobody']);
  const log = captureLog();
  logEvent('worker.failed', { err: new Error('outer', { cause: new Error(text) }) });
  logEvent('delivery.failed', { path: text, err: new AggregateError([new Error(text)], text) });
  expect(JSON.stringify(log.lines)).not.toContain(secret);
  expect(JSON.stringify(log.lines)).toContain('***');
});

test('keeps ids, object keys and ordinary errors readable', () => {
  const log = captureLog();
  const videoGuid = '019ac2f0-3b7c-7abc-8def-0123456789ab';
  const requestId = '0f8fad5b-d9cb-469f-a165-70867728950e';
  const text = `1/${videoGuid}/1080-3.cmaf: connect ECONNREFUSED 127.0.0.1:9000`;
  withLogContext({ requestId }, () => logEvent('store.unread', { objectKey: `1/${videoGuid}`, err: new Error(text) }));
  expect(log.named('store.unread')).toMatchObject([{ requestId, objectKey: `1/${videoGuid}`, err: { message: text } }]);
});
