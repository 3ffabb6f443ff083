import type { Settings } from '../config/settings.ts';
import { detectSandbox } from '../media/ffmpeg/run-sandboxed.ts';
import type { SandboxLevel } from '../service/health.ts';

/** Finds the sandbox that encoders of this machine run in; `none` where nothing is encoded for want of one. */
export async function findSandboxLevel({ requiresSandbox }: Pick<Settings, 'requiresSandbox'>): Promise<SandboxLevel> {
  const level = (await tryDetect()) ?? (await tryDetect()) ?? 'none';
  return level === 'prlimit' && requiresSandbox ? 'none' : level;
}

/** A machine that is busy may fail to start even what works on it: then the next attempt tries again. */
async function tryDetect(): Promise<SandboxLevel | null> {
  try {
    return await detectSandbox();
  } catch {
    return null;
  }
}
