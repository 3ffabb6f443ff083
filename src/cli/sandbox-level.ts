import type { Settings } from '../config/settings.ts';
import { detectSandbox } from '../media/ffmpeg/run-sandboxed.ts';
import type { SandboxLevel } from '../service/health.ts';

/** Finds the sandbox for encoders on this machine; `none` if no sandbox works and nothing is encoded. */
export async function findSandboxLevel({ requiresSandbox }: Pick<Settings, 'requiresSandbox'>): Promise<SandboxLevel> {
  const level = (await tryDetect()) ?? (await tryDetect()) ?? 'none';
  return level === 'prlimit' && requiresSandbox ? 'none' : level;
}

/** On a busy machine, even a working sandbox may fail to start. The next attempt then tries again. */
async function tryDetect(): Promise<SandboxLevel | null> {
  try {
    return await detectSandbox();
  } catch {
    return null;
  }
}
