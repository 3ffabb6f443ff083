import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { projectRoot } from '../../scripts/run-program.ts';

const run = promisify(execFile);
/** Timeout that only a hang exceeds. Programs are slow on a busy machine. */
const SCREEN_MS = 180_000;
const LAUNCHER = join(projectRoot, 'bin/millrace.js');

type Terminal = {
  /** Path of a file with all output of the terminal. */
  log: string;
  type(line: string): Promise<void>;
  press(text: string, key: string): Promise<void>;
  /** Waits until the screen matches `shown`. */
  until(shown: RegExp): Promise<RegExpExecArray>;
  close(): Promise<void>;
};

/** Opens a shell in a tmux terminal in which `m` is the program. Its home is `folder`. */
export async function openTerminal(folder: string): Promise<Terminal> {
  const log = join(folder, 'terminal.log');
  const env = { PATH: process.env.PATH, HOME: folder, MILLRACE_DATA_DIR: folder, TERM: 'xterm', LANG: 'C.UTF-8' };
  const tmux = async (...args: readonly string[]) =>
    (await run('tmux', ['-f', '/dev/null', '-S', join(folder, 'tmux'), ...args], { env, cwd: folder })).stdout;
  await tmux('new-session', '-d', '-x', '140', '-y', '50', 'bash --norc --noprofile');
  await tmux('pipe-pane', `cat > '${log}'`);
  const press = async (text: string, key: string) => {
    await tmux('send-keys', '-l', text);
    await tmux('send-keys', key);
  };
  await press(`m() { '${process.execPath}' '${LAUNCHER}' "$@"; }`, 'Enter');
  return {
    log,
    type: (line) => press(line, 'Enter'),
    press,
    async until(shown) {
      const screen = () => tmux('capture-pane', '-p', '-J');
      await expect.poll(screen, { timeout: SCREEN_MS, interval: 200 }).toMatch(shown);
      const found = shown.exec(await screen());
      if (found === null) throw new Error('Expected the screen to stay as it was.');
      return found;
    },
    close: async () => void (await tmux('kill-server')),
  };
}
