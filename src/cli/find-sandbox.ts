import type { Settings } from '../config/settings.ts';
import { detectSandbox, setMediaRules } from '../media/ffmpeg/run-sandboxed.ts';
import type { SandboxState } from '../service/health.ts';

/** Returns the sandbox for encoders on this machine; `unavailable` if the configured one does not work. */
export async function findSandbox(
  settings: Pick<Settings, 'sandbox' | 'allowsRareDecoders'> | null,
): Promise<SandboxState> {
  const { sandbox = 'auto', allowsRareDecoders = false } = settings ?? {};
  setMediaRules({ sandbox, allowsRareDecoders });
  return (await tryDetect()) ?? (await tryDetect()) ?? 'unavailable';
}

/** On a busy machine, even a working sandbox may fail to start. The next attempt then tries again. */
async function tryDetect(): Promise<SandboxState | null> {
  try {
    return await detectSandbox();
  } catch {
    return null;
  }
}
