import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { Refused } from '../../lib/refused.ts';
import { EncoderBudget } from '../../media/live/publishing/run-publisher-media.ts';
import { type SrtDeps, type SrtServer, startSrt } from './start-srt.ts';

const TONE = ['-f', 'lavfi', '-i', 'anullsrc=d=0.2', '-c:a', 'aac', '-f', 'mpegts'];

let server: SrtServer;
let published: string[] = [];
let reported: string[] = [];
/** Reasons for the status of a stream, after its key. */
let noted: string[] = [];
afterEach(async () => {
  await server.close();
  published = [];
  reported = [];
  noted = [];
});

const start = async (options: Partial<SrtDeps & { port: number }> = {}) => {
  server = await startSrt({
    host: '127.0.0.1',
    port: 0,
    passphrase: null,
    budget: new EncoderBudget(1),
    report: ({ message }) => reported.push(message),
    noteRefusal: async (streamKey, reason) => void noted.push(`${streamKey}: ${reason}`),
    async check(name) {
      if (name !== 'valid') throw new Refused('not-found', 'No stream has this key.');
      return { streamKey: name, isSecret: false };
    },
    async publish({ streamKey }) {
      published.push(streamKey);
      throw new Refused('unavailable', 'This test publishes nothing.');
    },
    ...options,
  });
};

/**
 * Publishes a short silence with a stream id, in one attempt, which repeats its handshake for 20 s. Resolves when the
 * publisher has ended.
 */
const publish = (streamId: string) =>
  new Promise<void>((resolve) => {
    const target = `srt://127.0.0.1:${server.port}?streamid=${streamId}&connect_timeout=20000`;
    execFile('ffmpeg', ['-nostdin', '-v', 'quiet', ...TONE, target], () => resolve());
  });

/** Returns the processes of libsrt, which are children of this one. */
function srtProcesses(): number[] {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.map(Number).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('srt-child'));
}

const sendTo = (port: number, text: string) =>
  new Promise<void>((resolve) => {
    const socket = createSocket('udp4');
    socket.send(text, port, '127.0.0.1', () => socket.close(() => resolve()));
  });

test('wrong keys from an address do not lock out a valid key', async () => {
  await start({ attempts: { burst: 1, perSec: 0 } });
  for (const wrong of ['wrong', 'worse']) await publish(wrong);
  await publish('valid');
  await expect.poll(() => published).toEqual(['valid']);
});

test.each([
  {
    title: 'a wrong passphrase',
    passphrase: 'expected passphrase',
    query: '&passphrase=another one',
    is: 'got none or another',
  },
  { title: 'no passphrase', passphrase: 'expected passphrase', query: '', is: 'got none or another' },
  {
    title: 'an extra passphrase',
    passphrase: null,
    query: '&passphrase=another one',
    is: 'Expected no SRT passphrase',
  },
])('shows why a caller with $title is refused', async ({ passphrase, query, is }) => {
  await start({ passphrase });
  await publish(`valid${query}`);
  await expect.poll(() => noted, { timeout: 10_000 }).toEqual([expect.stringMatching(`^valid: .*${is}`)]);
  expect({ published, reported }).toEqual({ published: [], reported: [] });
});

test('the process of libsrt ends without callers, and the first attempt of the next caller is accepted', async () => {
  await start({ idleMs: 1_500 });
  for (const expected of [['valid'], ['valid', 'valid']]) {
    await expect.poll(srtProcesses, { timeout: 10_000 }).toEqual([]);
    await sendTo(server.port, 'a port scan');
    await publish('valid');
    await expect.poll(() => published).toEqual(expected);
  }
  expect(reported).toEqual([]);
});

test('after the process of libsrt was killed, callers start another one', async () => {
  await start();
  for (const pid of srtProcesses()) process.kill(pid, 'SIGKILL');
  await expect.poll(() => reported).toEqual([expect.stringContaining('SIGKILL')]);
  await expect
    .poll(
      async () => {
        await publish('valid');
        return published.length;
      },
      { timeout: 20_000 },
    )
    .toBeGreaterThan(0);
});

test('closing ends the process, and also frees a port that is only held', async () => {
  await start({ idleMs: 300 });
  await expect.poll(srtProcesses, { timeout: 10_000 }).toEqual([]);
  const { port } = server;
  await server.close();
  await start({ port });
  expect(server.port).toBe(port);
  await server.close();
  expect(srtProcesses()).toEqual([]);
});
