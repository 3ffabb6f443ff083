import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createConnection, type Socket } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { measureRecording, readPictureFile } from './measure-recording.ts';
import type { NativePlayer } from './native-trial.ts';

/** Timeout that only a hang exceeds. */
const START_MS = 20_000;
const COMMAND_MS = 20_000;
const PLAY_MS = 90_000;

type Answer = { request_id?: number; error?: string; data?: unknown };

/** mpv without a window or a sound card: `send` runs a command over its JSON socket and returns its result. */
type Mpv = { send: Send; close(): Promise<void> };

/** Starts mpv for a driver over its JSON socket (mpv(1), "JSON IPC"). Resolves when it shows a picture. */
export async function startMpv(
  address: string,
  { socketPath, options }: { socketPath: string; options: readonly string[] },
): Promise<Mpv> {
  const common = ['--no-config', '--really-quiet', '--vo=null', '--ao=null', `--input-ipc-server=${socketPath}`];
  const child = spawn('mpv', [...common, ...options, address], { stdio: 'ignore' });
  let socket: Socket | null = null;
  const close = async () => {
    await end(child);
    socket?.destroy();
    await rm(socketPath, { force: true });
  };
  try {
    socket = await connect(socketPath, child);
    const send = createSender(socket);
    await untilLoaded(send);
    return { send, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens mpv paused at the first frame, and returns the controls that a trial needs. */
export async function openMpv(address: string, folder: string): Promise<NativePlayer> {
  const socketPath = path.join(folder, 'mpv.sock');
  const { send, close } = await startMpv(address, { socketPath, options: ['--keep-open=yes', '--pause'] });
  return { ...driverOf(send, { address, folder }), close };
}

/** Terminates the process, and kills it if it does not exit. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const hung = setTimeout(() => child.kill('SIGKILL'), COMMAND_MS);
  await ended.finally(() => clearTimeout(hung));
}

type Send = (...command: unknown[]) => Promise<unknown>;

function driverOf(send: Send, { address, folder }: { address: string; folder: string }): Omit<NativePlayer, 'close'> {
  const get = (name: string) => send('get_property', name);
  return {
    measure: () => measure(address, folder),
    play: async () => void (await send('set_property', 'pause', false)),
    pause: async () => void (await send('set_property', 'pause', true)),
    seek: async (sec) => void (await send('seek', sec, 'absolute+exact')),
    async replay() {
      await send('seek', 0, 'absolute+exact');
      await send('set_property', 'pause', false);
    },
    async choose(heightPx) {
      // Each rung is a track, because ffmpeg, which mpv uses, lists all of them.
      const tracks = (await get('track-list')) as { type: string; id: number; 'demux-h'?: number }[];
      const track = tracks.find((one) => one.type === 'video' && one['demux-h'] === heightPx);
      await send('set_property', 'vid', track?.id ?? 0);
    },
    async read() {
      const file = path.join(folder, 'mpv.png');
      const isShown = await send('screenshot-to-file', file, 'video').then(
        () => true,
        () => false,
      );
      if (!isShown) return null;
      const { number, heightPx } = await readPictureFile(file);
      return number === null ? null : { number, heightPx };
    },
    isEnded: async () => (await get('eof-reached').catch(() => false)) === true,
  };
}

async function connect(socketPath: string, child: ChildProcess): Promise<Socket> {
  const endMs = performance.now() + START_MS;
  for (;;) {
    const socket = createConnection(socketPath);
    try {
      await once(socket, 'connect');
      return socket;
    } catch (error) {
      // The socket appears a moment after the start.
      if (child.exitCode !== null || performance.now() > endMs) throw error;
      await sleep(50);
    }
  }
}

function createSender(socket: Socket): Send {
  let lastId = 0;
  const waiting = new Map<number, (answer: Answer) => void>();
  createInterface({ input: socket }).on('line', (line) => {
    // mpv writes one JSON object per line: events, which have no number, and responses.
    const answer: Answer = JSON.parse(line);
    if (answer.request_id !== undefined) waiting.get(answer.request_id)?.(answer);
  });
  return async (...command) => {
    lastId += 1;
    const id = lastId;
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    socket.write(`${JSON.stringify({ command, request_id: id })}\n`);
    const late: Promise<Answer> = sleep(COMMAND_MS, { error: 'late' }, { ref: false });
    const { error, data } = await Promise.race([answered, late]);
    waiting.delete(id);
    if (error !== 'success') throw new Error(`mpv refused ${command.join(' ')}: ${error}`);
    return data;
  };
}

async function untilLoaded(send: Send): Promise<void> {
  const endMs = performance.now() + START_MS;
  while (!Number(await send('get_property', 'video-params/h').catch(() => 0))) {
    if (performance.now() > endMs) throw new Error(`mpv showed no picture within ${START_MS} ms`);
    await sleep(50);
  }
}

/** Renders the playback to a file, as fast as possible. */
async function measure(address: string, folder: string) {
  const file = path.join(folder, 'mpv.mkv');
  const output = [`--o=${file}`, '--of=matroska', '--ovc=ffv1', '--oac=pcm_s16le', '--no-ocopy-metadata'];
  await promisify(execFile)('mpv', ['--no-config', '--really-quiet', ...output, address], { timeout: PLAY_MS });
  return { ...(await measureRecording(file)), recording: null };
}
