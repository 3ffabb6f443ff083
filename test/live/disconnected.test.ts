import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeAmf0 } from '../../src/ingest/rtmp/amf0.ts';
import { MAX_DESCRIPTION } from '../../src/media/live/tracks/video-config.ts';
import { endWithTest } from '../support/end-with-test.ts';
import { TsWriter } from '../support/media/ts-writer.ts';
import { onceARun } from '../support/once-a-run.ts';
import { openRtmpPublisher, type RtmpPublisher } from '../support/rtmp-publisher.ts';
import { call } from '../support/videos.ts';
import { type LiveFixture, openLiveFixture } from './live-fixture.ts';
import { ended, publish, startLive, type TestStream, until } from './live-service.ts';
import { statusOf } from './odd-stream.ts';
import { AAC, H264, makeTags } from './tag-publisher.ts';

let fixture: LiveFixture;
beforeAll(async () => {
  fixture = await openLiveFixture({ MILLRACE_LIVE_CORES: '0' });
});
afterAll(() => fixture.close());

/** Connects a publisher, and sends the start of a clip. */
async function begin({ ingest }: TestStream): Promise<RtmpPublisher> {
  const tags = await makeTags('begin', { lengthSec: 4, argv: [...H264, ...AAC] });
  const publisher = await openRtmpPublisher(ingest);
  for (const tag of tags) publisher.send(tag);
  return publisher;
}

/** Waits until the status gives the reason of a disconnection, and returns it. */
function lastReason(stream: TestStream): Promise<string> {
  return until(async () => {
    const reason = (await statusOf(fixture, stream)).transcoding?.reason;
    return reason?.startsWith('The encoder was disconnected. ') === true ? reason : null;
  }, 'the reason of a disconnection');
}

/** A frame whose NAL unit is longer than the frame. */
const DAMAGED = Buffer.from([0x27, 1, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0x41]);

/** An audio frame in Speex, which is not supported. */
const SPEEX = Buffer.from([0xb2, 0, 0, 0]);

const RTMP: readonly { title: string; reason: RegExp; send(publisher: RtmpPublisher): void }[] = [
  {
    title: '100 damaged frames in a row',
    reason: /Expected NAL units with a length of 4 bytes/,
    send: (publisher) => {
      for (let index = 0; index < 100; index += 1)
        publisher.send({ type: 9, timestampMs: 4_000 + index * 33, body: DAMAGED });
    },
  },
  {
    title: 'a chunk size of 0',
    reason: /Expected a chunk size up to 16 MiB, got 0/,
    send: (publisher) => publisher.sendRaw(Buffer.from([2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0])),
  },
  {
    title: 'damaged metadata',
    reason: /Expected an AMF0 marker, got 255/,
    send: (publisher) => publisher.sendRaw(Buffer.from([4, 0, 0, 0, 0, 0, 1, 18, 1, 0, 0, 0, 255])),
  },
  {
    title: 'a request to play',
    reason: /This server accepts publishers only/,
    send: (publisher) => {
      const body = writeAmf0('play', 4, null, 'other');
      publisher.sendRaw(Buffer.concat([Buffer.from([3, 0, 0, 0, 0, 0, body.length, 20, 1, 0, 0, 0]), body]));
    },
  },
];

test.each(RTMP)(
  'the status gives the reason why an RTMP publisher was disconnected: $title',
  async (one) => {
    const stream = await startLive(fixture);
    const publisher = await begin(stream);
    one.send(publisher);
    await publisher.closed;
    expect(await lastReason(stream)).toMatch(one.reason);
  },
  60_000,
);

test('an RTMP publisher that sends nothing for 15 s has a reason, until it connects again', async () => {
  const stream = await startLive(fixture);
  const publisher = await begin(stream);
  await publisher.closed;
  expect(await lastReason(stream)).toMatch(/^The encoder was disconnected\. No usable audio or video arrived for 15 s/);
  const next = await publish(stream.ingest);
  // Without encoder cores, the reason why there are no rungs may follow at once.
  await until(
    async () => (/disconnected/.test((await statusOf(fixture, stream)).transcoding?.reason ?? '') ? null : true),
    'the end of the reason',
  );
  // A publisher that ends the connection has no reason.
  next.kill('SIGKILL');
  await until(async () => ((await statusOf(fixture, stream)).transcoding?.state === 'idle' ? true : null), 'the end');
  expect((await statusOf(fixture, stream)).transcoding).toMatchObject({ reason: null });
}, 60_000);

test('the status gives the reason why an SRT publisher was disconnected: 100 damaged frames in a row', async () => {
  const file = await onceARun('damaged.ts', async (place) => {
    const writer = new TsWriter({ video: 27, audio: null });
    const payload = Buffer.concat([Buffer.from([0, 0, 1]), Buffer.alloc(MAX_DESCRIPTION + 1, 0x67)]);
    const frames = Array.from({ length: 110 }, (_, index) =>
      writer.pes('video', { pts: index * 3_600, dts: null, payload }),
    );
    await writeFile(place, Buffer.concat([...writer.tables(), ...frames.flat()]));
  });
  const stream = await startLive(fixture);
  const address = `srt://127.0.0.1:${stream.listeners.srt}?streamid=${stream.streamKey}&linger=5`;
  const input = ['-re', '-stream_loop', '-1', '-f', 'data', '-i', file];
  const argv = ['-nostdin', '-v', 'error', ...input, '-map', '0', '-c', 'copy', '-f', 'data', address];
  await ended(endWithTest(spawn('ffmpeg', argv, { stdio: 'ignore' })));
  expect(await lastReason(stream)).toMatch(/^The encoder was disconnected\. Expected a parameter set/);
}, 60_000);

test('the status gives the reason why a publisher was disconnected: a new stream key', async () => {
  const stream = await startLive(fixture);
  const publisher = await begin(stream);
  await call(fixture.service, 'PUT', `/library/${stream.key.libraryId}/live/${stream.key.mediaId}/regenerate-key`);
  await publisher.closed;
  expect(await lastReason(stream)).toBe('The encoder was disconnected. The key of the stream was replaced.');
}, 60_000);

test('the status keeps the reason of an encoder that disconnects by itself, until the next one connects', async () => {
  const stream = await startLive(fixture);
  const address = `/library/${stream.key.libraryId}/live/${stream.key.mediaId}`;
  const publisherState = async () => Object(await call(fixture.service, 'GET', address)).publisherState;
  expect(await publisherState()).toBe('none');
  const publisher = await begin(stream);
  publisher.send({ type: 8, timestampMs: 4_000, body: SPEEX });
  const reason = await until(
    async () => (await statusOf(fixture, stream)).transcoding?.reason?.match(/Speex.*/)?.[0] ?? null,
    'the reason of the codec',
  );
  expect(await publisherState()).toBe('live');
  publisher.close();
  const kept = await until(async () => {
    const { transcoding } = await statusOf(fixture, stream);
    return transcoding?.state === 'idle' ? transcoding.reason : null;
  }, 'the reason after the end');
  expect(kept).toMatch(/^The encoder disconnected\. /);
  expect(kept).toContain(reason);
  await until(async () => ((await publisherState()) === 'away' ? true : null), 'the missing publisher');
  const next = await publish(stream.ingest);
  await until(
    async () => ((await statusOf(fixture, stream)).transcoding?.reason?.includes('Speex') === true ? null : true),
    'the end of the reason',
  );
  next.kill('SIGKILL');
}, 60_000);
