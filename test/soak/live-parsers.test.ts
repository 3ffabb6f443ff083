import { execFile, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BadRtmp, ChunkReader, writeChunks } from '../../src/ingest/rtmp/chunk-stream.ts';
import { BrokenMedia } from '../../src/media/bmff/broken-media.ts';
import { readFlvTag } from '../../src/media/live/flv/flv-tag.ts';
import { TsDemuxer } from '../../src/media/mpegts/ts-demuxer.ts';
import { RtpReceiver } from '../../src/media/rtp/rtp-receiver.ts';
import { readFlvFile } from '../support/rtmp-publisher.ts';
import { faultSeed, seededRandom } from '../support/seeded-random.ts';
import { findMutator } from './mutate.ts';

/** `npm run soak -- live-parsers` runs at full length; `npm test` runs a part. */
const isSoak = process.env.MODE === 'soak';
const SAMPLES = isSoak ? 3_000 : 40;
const MIB = 2 ** 20;
/** Maximum memory that any parser may hold for its input. */
const MAX_HELD_BYTES = 17 * MIB;
const STEP_BYTES = 1_316;
/** An RTP receiver bounds the size and the number of packets. */
const MAX_PACKETS = 2 * 513;

const seed = faultSeed(isSoak ? Math.floor(Math.random() * 1e9) : undefined);
const mutator = findMutator();
const run = promisify(execFile);
const SOURCES = ['-f', 'lavfi', '-i', 'testsrc2=s=160x120:r=25:d=2', '-f', 'lavfi', '-i', 'sine=d=2'];
const CODECS = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '25', '-c:a', 'aac'];

let folder: string;
const wires: Record<string, Buffer> = {};
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mr-parsers-'));
  for (const container of ['flv', 'ts']) {
    const file = path.join(folder, `clip.${container}`);
    await run('ffmpeg', ['-nostdin', '-v', 'error', ...SOURCES, ...CODECS, file]);
    wires[container] = await readFile(file);
  }
  const tags = readFlvFile(wires.flv ?? Buffer.alloc(0));
  wires.rtmp = Buffer.concat(tags.map((tag) => writeChunks({ ...tag, streamId: 1 }, tag.type === 8 ? 4 : 6, 128)));
  wires.rtp = await recordRtp();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Records RTP packets as sent by ffmpeg, each after its length. */
async function recordRtp(): Promise<Buffer> {
  const socket = createSocket('udp4');
  const packets: Buffer[] = [];
  socket.on('message', (packet) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(packet.length);
    packets.push(length, packet);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const target = `rtp://127.0.0.1:${socket.address().port}?pkt_size=1200`;
  const encoder = [...CODECS.slice(0, 8), '-an', '-payload_type', '102', '-f', 'rtp', target];
  const child = spawn('ffmpeg', ['-nostdin', '-v', 'error', '-re', ...SOURCES.slice(0, 4), ...encoder], {
    stdio: 'ignore',
  });
  await once(child, 'exit');
  socket.close();
  return Buffer.concat(packets);
}

/** Reads a wire format in steps and returns the maximum bytes held. A connection ends with its first refused byte. */
const READERS: Record<string, (wire: Buffer) => number> = {
  rtmp(wire) {
    const reader = new ChunkReader({ messageBytes: 16 * MIB });
    return eachStep(wire, (piece) => {
      for (const { type, timestampMs, body } of reader.push(piece)) {
        if (type === 8 || type === 9) allow(() => readFlvTag({ type, timestampMs, body }, 25));
      }
      return reader.heldBytes;
    });
  },
  ts(wire) {
    const demuxer = new TsDemuxer();
    return eachStep(wire, (piece) => {
      demuxer.push(piece);
      return demuxer.heldBytes;
    });
  },
  rtp(wire) {
    const receiver = new RtpReceiver([{ mid: '0', kind: 'video', payloadType: 102 }]);
    let most = 0;
    for (let at = 0; at + 2 <= wire.length; ) {
      const length = wire.readUInt16BE(at);
      allow(() => receiver.push(wire.subarray(at + 2, at + 2 + length), 0));
      most = Math.max(most, receiver.heldPackets);
      at += 2 + length;
    }
    expect(most).toBeLessThanOrEqual(MAX_PACKETS);
    return 0;
  },
};

function eachStep(wire: Buffer, take: (piece: Buffer) => number): number {
  let most = 0;
  allow(() => {
    for (let at = 0; at < wire.length; at += STEP_BYTES)
      most = Math.max(most, take(wire.subarray(at, at + STEP_BYTES)));
  });
  return most;
}

/** Ignores only the errors that parsers throw to reject damaged input. */
function allow(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof BrokenMedia || error instanceof BadRtmp)) throw error;
  }
}

test.each(Object.keys(READERS))(
  `damaged %s is parsed or refused, and memory stays bounded (${mutator.name}, seed ${seed})`,
  async (name) => {
    const random = seededRandom(seed);
    const wire = wires[name] ?? Buffer.alloc(0);
    expect(wire.length).toBeGreaterThan(10_000);
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const held = READERS[name]?.(await mutator.mutate(wire, seededRandom(random.below(2 ** 31))));
      expect(held, `bytes held of sample ${sample}, seed ${seed}`).toBeLessThan(MAX_HELD_BYTES);
    }
  },
  isSoak ? 3_600_000 : 120_000,
);
