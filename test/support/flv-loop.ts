import type { FlvTag } from '../../src/media/live/flv/flv-tag.ts';
import { openRtmpPublisher, type RtmpPublisher, readFlvFile } from './rtmp-publisher.ts';

const TURN_MS = 20;
const AVC_HEADER = '1700';
const AAC_HEADER = 'af00';

/**
 * Publishes a clip repeatedly in real time from its first keyframe. `stop` ends it, and `closed` resolves when it has
 * ended.
 */
export async function publishLoop(address: string, clip: Buffer): Promise<{ stop(): void; closed: Promise<void> }> {
  const publisher = await openRtmpPublisher(address);
  const timer = sendLoop(publisher, readFlvFile(clip));
  const stop = () => {
    clearInterval(timer);
    publisher.close();
  };
  void publisher.closed.then(() => clearInterval(timer));
  return { stop, closed: publisher.closed };
}

function sendLoop(publisher: RtmpPublisher, tags: readonly FlvTag[]): NodeJS.Timeout {
  const lengthMs = (tags.at(-1)?.timestampMs ?? 0) + 40;
  const startedMs = performance.now();
  let next = 0;
  let shiftMs = 0;
  const send = () => {
    const nowMs = performance.now() - startedMs;
    for (;;) {
      const tag = tags[next];
      if (tag === undefined) {
        next = 0;
        shiftMs += lengthMs;
        continue;
      }
      if (tag.timestampMs + shiftMs > nowMs) return;
      if (shiftMs === 0 || !isHeader(tag)) publisher.send({ ...tag, timestampMs: tag.timestampMs + shiftMs });
      next += 1;
    }
  };
  send();
  return setInterval(send, TURN_MS);
}

function isHeader({ body }: FlvTag): boolean {
  const start = body.toString('hex', 0, 2);
  return start === AVC_HEADER || start === AAC_HEADER;
}
