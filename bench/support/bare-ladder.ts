import path from 'node:path';
import { findCodec } from '../../src/media/encode/codecs/all.ts';
import { MAX_BITRATES_BPS, type RungPlan } from '../../src/media/encode/ladder.ts';

/** The complete ladder of the 16:9 clip that benchmarks use, 1080p to 240p. */
export const LADDER: readonly RungPlan[] = (
  [
    [1080, 1920],
    [720, 1280],
    [480, 854],
    [360, 640],
    [240, 426],
  ] as const
).map(([rung, widthPx]) => ({ rung, widthPx, heightPx: rung, maxBitrateBps: MAX_BITRATES_BPS[rung] }));

const RATE = { num: 24, den: 1 };

/**
 * Options of an ffmpeg run. `threads`: the default number of threads, or one thread for each filter and encoder, which
 * needs less CPU time but takes longer.
 */
export type BareRun = { hasSound: boolean; threads: 'own' | 'one' };

/**
 * Returns arguments of one ffmpeg that decodes once, scales in a cascade, and writes fragmented MP4 files with the x264
 * settings of the service.
 */
export function bareLadder(source: string, folder: string, rungs: readonly RungPlan[], run: BareRun): string[] {
  const graph = rungs.map((rung, index) => {
    const from = index === 0 ? '[0:v:0]' : `[rest${index}]`;
    const isLast = index === rungs.length - 1;
    const to = isLast ? `[v${index}]` : `,split=2[v${index}][rest${index + 1}]`;
    return `${from}scale=${rung.widthPx}:${rung.heightPx}${to}`;
  });
  const outputs = rungs.flatMap((rung, index) => [
    ...[
      '-map',
      `[v${index}]`,
      // 0 selects the default number of threads.
      ...findCodec('h264').encoderArgv({
        rung,
        rate: RATE,
        gopFrames: 48,
        threads: run.threads === 'one' ? 1 : 0,
        hdr: null,
      }),
    ],
    ...fragmented(path.join(folder, `bare-${rung.rung}.mp4`)),
  ]);
  const sound = run.hasSound ? soundOutput(folder) : [];
  const threads = run.threads === 'one' ? ['-threads', '1', '-filter_complex_threads', '1'] : [];
  return [
    ...['-nostdin', '-v', 'error', '-y', ...threads, '-i', source],
    ...['-filter_complex', graph.join(';'), ...outputs, ...sound],
  ];
}

/** Returns ffmpeg arguments for the clip's audio alone. */
export function bareSound(source: string, folder: string): string[] {
  return ['-nostdin', '-v', 'error', '-y', '-i', source, ...soundOutput(folder)];
}

function soundOutput(folder: string): string[] {
  return [
    ...['-map', '0:a:0', '-c:a', 'aac', '-b:a', '128k', '-ac', '2'],
    ...fragmented(path.join(folder, 'bare-a.mp4')),
  ];
}

function fragmented(file: string): string[] {
  return ['-f', 'mp4', '-movflags', 'empty_moov+default_base_moof+frag_keyframe', file];
}
