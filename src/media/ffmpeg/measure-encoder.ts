import { metrics } from '../../lib/metrics/metrics.ts';
import type { FfmpegPlan } from './ffmpeg-plan.ts';

type Measured = {
  advanced(outTimeSec: number): void;
  ended(end: { exitCode: number | null; wallSec: number }): void;
};

/** Measures the speed of a run that encodes renditions. A stopped run counts as far as it reported progress. */
export function measureEncoder({ codec, durationSec, outputs }: FfmpegPlan): Measured {
  if (codec === undefined) return { advanced: () => undefined, ended: () => undefined };
  let firstSec: number | null = null;
  let lastSec = 0;
  metrics.encodersRunning.inc({ codec });
  return {
    advanced(outTimeSec) {
      // The times of a range in the middle do not begin at 0.
      firstSec ??= outTimeSec;
      lastSec = outTimeSec;
    },
    ended({ exitCode, wallSec }) {
      const madeSec = exitCode === 0 ? durationSec : Math.max(0, lastSec - (firstSec ?? lastSec));
      metrics.encodersRunning.dec({ codec });
      metrics.encodeBusy.inc({ codec }, wallSec);
      metrics.encodeMedia.inc({ codec }, madeSec * outputs.length);
    },
  };
}
