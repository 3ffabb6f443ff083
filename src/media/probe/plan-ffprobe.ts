import type { SandboxedCommand } from '../ffmpeg/run-child.ts';
import { GUARD_ARGV, SOURCE_URL } from './open-source.ts';

/** Time limit of one probe of a source, in seconds. */
export const PROBE_LIMIT_SEC = 20;

/** Plans an ffprobe run over a source, given the output to show and the minimum level of reported problems. */
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
