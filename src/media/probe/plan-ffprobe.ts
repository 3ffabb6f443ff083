import type { SandboxedCommand } from '../ffmpeg/run-sandboxed.ts';
import { GUARD_ARGV, SOURCE_URL } from './open-source.ts';

/** The longest that one look at a source may take. */
export const PROBE_LIMIT_SEC = 20;

/** Plans ffprobe over a source: what it shows, and from which level on it reports trouble. */
export function planFfprobe(path: string, shown: readonly string[], level: 'warning' | 'error'): SandboxedCommand {
  return {
    program: 'ffprobe',
    argv: ['-hide_banner', '-v', `level+${level}`, ...GUARD_ARGV, ...shown, '-i', SOURCE_URL],
    sourcePath: path,
    outputDir: null,
    limits: { cpuSec: PROBE_LIMIT_SEC, addressSpaceBytes: 2 * 1024 ** 3, fileSizeBytes: 1024, openFiles: 64 },
    niceness: 0,
    extraPipes: 0,
    takesStdin: false,
    timeLimitSec: PROBE_LIMIT_SEC,
  };
}
