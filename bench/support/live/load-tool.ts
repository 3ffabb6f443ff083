import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Scope } from '../scope.ts';

/** A program that generates load in a separate process. */
export type LoadTool = {
  /** Returns the last line that the program printed. */
  read(): string;
  /** Stops the program. Throws if it had already exited, because the measurement would have had too little load. */
  stop(): Promise<void>;
};

/**
 * Starts a program of this folder and waits for its first line. It is stopped with the scope, unless it was stopped
 * before.
 */
export async function startLoad(scope: Scope, file: string, args: readonly string[]): Promise<LoadTool> {
  const script = path.join(import.meta.dirname, file);
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const end = async () => {
    if (hasEnded()) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  scope.own(end);
  let newest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    newest = text.trimEnd().split('\n').at(-1) ?? newest;
  });
  const expectLife = () => {
    if (hasEnded())
      throw new Error(`Expected ${file} to continue, but it ended with ${child.exitCode ?? child.signalCode}.`);
  };
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  expectLife();
  return {
    read: () => newest,
    async stop() {
      expectLife();
      await end();
    },
  };
}
