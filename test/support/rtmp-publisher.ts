import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { type Amf0, readAmf0, writeAmf0 } from '../../src/ingest/rtmp/amf0.ts';
import { ChunkReader, writeChunks } from '../../src/ingest/rtmp/chunk-stream.ts';
import type { FlvTag } from '../../src/media/live/flv/flv-tag.ts';

const CHUNK_BYTES = 65_536;
const GREETING_BYTES = 1 + 2 * 1536;
const COMMAND = 20;

/**
 * An RTMP publisher that sends the given tags, including those of enhanced RTMP. `sendRaw` sends bytes of the chunk
 * stream.
 */
export type RtmpPublisher = {
  send(tag: FlvTag): void;
  sendRaw(bytes: Buffer): void;
  close(): void;
  readonly closed: Promise<void>;
};

/**
 * Connects and publishes. Resolves when the server accepts the publisher. Rejects with the server's message if it
 * refuses.
 */
export function openRtmpPublisher(address: string): Promise<RtmpPublisher> {
  const url = new URL(address);
  const [, app = '', streamKey = ''] = url.pathname.split('/');
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
  const { promise, resolve, reject } = Promise.withResolvers<RtmpPublisher>();
  const closed = new Promise<void>((done) => void socket.once('close', () => done()));
  const command = (streamId: number, ...values: Amf0[]) =>
    send(socket, { type: COMMAND, streamId, body: writeAmf0(...values) });
  const publisher = {
    send: ({ type, timestampMs, body }: FlvTag) => send(socket, { type, streamId: 1, timestampMs, body }),
    sendRaw: (bytes: Buffer) => void socket.write(bytes),
    close: () => void socket.end(),
    closed,
  };
  socket.on('error', reject);
  socket.once('close', () => reject(new Error('The server closed the connection.')));
  socket.once('connect', () => socket.write(Buffer.concat([Buffer.from([3]), Buffer.alloc(8), randomBytes(1528)])));
  readMessages(socket, {
    greeted() {
      const size = Buffer.alloc(4);
      size.writeUInt32BE(CHUNK_BYTES);
      socket.write(writeChunks({ type: 1, timestampMs: 0, streamId: 0, body: size }, 2, 128));
      command(0, 'connect', 1, { app, type: 'nonprivate', tcUrl: `rtmp://${url.host}/${app}` });
    },
    command([name, transaction, , info]) {
      if (name === '_result' && transaction === 1) command(0, 'createStream', 2, null);
      else if (name === '_result' && transaction === 2) command(1, 'publish', 3, null, streamKey, 'live');
      else if (name === 'onStatus' && JSON.stringify(info).includes('NetStream.Publish.Start')) resolve(publisher);
      else if (name === 'onStatus' || name === '_error') reject(new Error(JSON.stringify(info)));
    },
  });
  return promise;
}

/** Returns the tags of an FLV file. */
export function readFlvFile(bytes: Buffer): FlvTag[] {
  const tags: FlvTag[] = [];
  for (let at = 13; at + 11 <= bytes.length; ) {
    const type = bytes.readUInt8(at);
    const size = bytes.readUIntBE(at + 1, 3);
    const timestampMs = bytes.readUIntBE(at + 4, 3) + bytes.readUInt8(at + 7) * 2 ** 24;
    if (type === 8 || type === 9) tags.push({ type, timestampMs, body: bytes.subarray(at + 11, at + 11 + size) });
    at += 11 + size + 4;
  }
  return tags;
}

function readMessages(socket: Socket, events: { greeted(): void; command(values: Amf0[]): void }): void {
  const reader = new ChunkReader({ messageBytes: 65_536 });
  let greeting: Buffer | null = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    let rest = bytes;
    if (greeting !== null) {
      greeting = Buffer.concat([greeting, bytes]);
      if (greeting.length < GREETING_BYTES) return;
      socket.write(greeting.subarray(1, 1537));
      rest = greeting.subarray(GREETING_BYTES);
      greeting = null;
      events.greeted();
    }
    for (const { type, body } of reader.push(rest)) if (type === COMMAND) events.command([...readAmf0(body)]);
  });
}

function send(
  socket: Socket,
  { timestampMs = 0, ...message }: { type: number; streamId: number; timestampMs?: number; body: Buffer },
): void {
  const chunkId = message.type === COMMAND ? 3 : message.type === 8 ? 4 : 6;
  socket.write(writeChunks({ ...message, timestampMs: timestampMs >>> 0 }, chunkId, CHUNK_BYTES));
}
