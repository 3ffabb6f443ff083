import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { RungPlan } from '../../encode/ladder.ts';
import type { Watermark } from '../../encode/watermark.ts';
import { startSandboxed } from '../../ffmpeg/run-sandboxed.ts';
import { createFlvReader } from '../flv/flv-reader.ts';
import { readFlvTag } from '../flv/flv-tag.ts';
import { matroskaFrame, matroskaHead } from '../matroska/matroska.ts';
import type { LiveEvent, TrackConfig } from '../tracks/access-unit.ts';
import { ladderArgv } from './ladder-plan.ts';

/**
 * A frame of the source, pushed in decode order. `timeMs` is its presentation time on the clock of the run
 * (`ladderTimeMs`).
 */
export type LadderFrame = { timeMs: number; isKey: boolean; bytes: Buffer };

export type LadderHandlers = {
  /** Called once with the configuration of rung `index`, then with each of its frames, in presentation order. */
  encoded(index: number, event: LiveEvent): void;
  /** Called once, after the last frame. `problem` is the reason if the process exited before the end of its input. */
  ended(problem: string | null): void;
};

/** A running encoder of a stream's rungs. */
export type LadderRun = {
  /** Bytes that the encoder has not read yet. */
  readonly waitingBytes: number;
  write(frame: LadderFrame): void;
  /** Ends the input. The remaining frames are output, then `ended` is called. */
  end(): void;
  kill(): void;
};

/** Time limit in seconds, longer than any stream and within the limit of timers. */
const LIFE_SEC = 2_000_000;
const LIMITS = {
  cpuSec: 8 * LIFE_SEC,
  addressSpaceBytes: 4 * 1024 ** 3,
  fileSizeBytes: 1024 ** 3,
  openFiles: 64,
};

/** A watermark, and the folder in which it is stored as a file during the run. */
export type FiledMark = { mark: Watermark; folder: string };

export type LadderMedia = { source: TrackConfig; rungs: readonly RungPlan[]; marking?: FiledMark };

/**
 * Starts one sandboxed ffmpeg that encodes all rungs of a stream, with priority over all other work of this machine.
 */
export async function runLadder(media: LadderMedia, handlers: LadderHandlers, signal: AbortSignal): Promise<LadderRun> {
  const { marking } = media;
  if (marking === undefined) return startLadder(media, { markPath: null, ...handlers }, signal);
  const folder = await mkdtemp(join(marking.folder, 'mark-'));
  const drop = () => rm(folder, { recursive: true, force: true });
  const markPath = join(folder, 'mark.png');
  try {
    await writeFile(markPath, marking.mark.png, { mode: 0o644 });
    const ended = (problem: string | null) => void drop().finally(() => handlers.ended(problem));
    return await startLadder(media, { ...handlers, markPath, ended }, signal);
  } catch (error) {
    await drop();
    throw error;
  }
}

async function startLadder(
  { source, rungs, marking }: LadderMedia,
  { markPath, ...handlers }: LadderHandlers & { markPath: string | null },
  signal: AbortSignal,
): Promise<LadderRun> {
  const child = await startSandboxed(
    {
      program: 'ffmpeg',
      argv: ladderArgv(source, rungs, marking?.mark ?? null),
      sourcePath: markPath,
      outputDir: null,
      limits: LIMITS,
      niceness: 0,
      extraPipes: rungs.length,
      takesStdin: true,
      timeLimitSec: LIFE_SEC,
    },
    signal,
  );
  const stdin = child.stdin as Writable;
  // The exit of the process is handled elsewhere.
  stdin.on('error', () => undefined);
  child.stdout.resume();
  let broken: string | null = null;
  const over = child.pipes.map(
    (pipe, index) =>
      new Promise<void>((resolve) => {
        const reader = createFlvReader();
        pipe.on('data', (chunk: Buffer) => {
          try {
            for (const tag of reader.push(chunk)) {
              const event = readFlvTag(tag, source.frameRate);
              if (event !== null) handlers.encoded(index, event);
            }
          } catch (error) {
            broken ??= error instanceof Error ? error.message : String(error);
            child.stop('aborted');
          }
        });
        pipe.on('close', resolve);
      }),
  );
  void Promise.all([child.ended, ...over]).then(([end]) => {
    const said = end.stderrTail.trimEnd().split('\n').at(-1) ?? '';
    const why = end.killed ?? (end.exitCode === 0 ? null : `exit ${end.exitCode}`);
    handlers.ended(broken ?? (why === null ? null : `The encoder ended (${why}). ${said}`.trim()));
  });
  stdin.write(matroskaHead(source));
  return {
    get waitingBytes() {
      return stdin.writableLength;
    },
    write: ({ timeMs, isKey, bytes }) => void stdin.write(matroskaFrame(timeMs, isKey, bytes)),
    end: () => void stdin.end(),
    kill: () => child.stop('aborted'),
  };
}
