import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs the ffmpeg of Debian and waits for its exit. If it fails, throws an error with its messages. */
export async function runFfmpeg(args: readonly string[]): Promise<void> {
  const child = spawn('ffmpeg', ['-nostdin', '-hide_banner', '-v', 'error', '-y', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (data: Buffer) => {
    errors = (errors + data.toString()).slice(-4096);
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`ffmpeg ended with ${code}: ${errors}`);
}

/** Copies the streams of a file to another container, repeated `times` times in sequence. */
export async function remux(from: string, to: string, times = 1): Promise<string> {
  await runFfmpeg([...['-stream_loop', String(times - 1), '-i', from], ...['-map', '0', '-c', 'copy', to]]);
  return to;
}
