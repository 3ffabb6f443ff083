import { listUndrawn, saveWaveform, type UndrawnVideo } from '../../catalog/images/waveform-store.ts';
import { loadSpeechSource } from '../../catalog/speech/speech-store.ts';
import { shuffled } from '../../lib/shuffled.ts';
import { FfmpegFailed, runFfmpeg } from '../../media/ffmpeg/run-ffmpeg.ts';
import { bytesPerPeak, peakCount, peakOf, WAVEFORM_RATE_HZ } from '../../media/images/waveform.ts';
import { planSpeechAudio } from '../../media/speech/plan-speech-audio.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob } from '../queue/define-job.ts';
import { inBlocks, readFragments } from '../speech/read-fragments.ts';
import { pastFailures } from '../store/past-failures.ts';

/** Maximum number of videos per run. The next run, a minute later, continues with the rest. */
const MAX_VIDEOS = 100;
/** Time after which a run starts no more videos, in ms, because other housekeeping waits for its slot. */
const MAX_RUN_MS = 20_000;

/** Draws the waveforms of finished videos whose default audio changed, every minute. Idempotent. */
export const drawWaveforms = defineJob<object, JobDeps>({
  name: 'draw-waveforms',
  queue: 'housekeeping',
  retryLimit: 2,
  cron: '* * * * *',
  async run(_, deps, signal) {
    const undrawn = await listUndrawn(deps.db, MAX_VIDEOS);
    const endMs = performance.now() + MAX_RUN_MS;
    const draw = async (video: UndrawnVideo) => {
      if (performance.now() < endMs) await drawWaveform(video, deps, signal);
    };
    await pastFailures(shuffled(undrawn), draw, signal);
  },
});

/**
 * Draws and stores the waveform of a video. If the audio cannot be decoded, the waveform is empty, because another
 * attempt would fail too.
 */
async function drawWaveform(video: UndrawnVideo, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const { audio } = await loadSpeechSource(deps.db, video);
  const peaks: number[] = [];
  if (audio !== null) {
    const options = { sourcePath: null, input: readFragments(audio, deps.storage, signal) };
    try {
      const run = await runFfmpeg(planSpeechAudio(audio.durationSec, WAVEFORM_RATE_HZ), options, signal);
      for (const output of run.outputs) {
        for await (const block of inBlocks(output, bytesPerPeak(audio.durationSec))) peaks.push(peakOf(block));
      }
      await run.done;
      // Stored audio may end up to one AAC frame after the video.
      peaks.length = Math.min(peaks.length, peakCount(audio.durationSec));
    } catch (error) {
      if (!(error instanceof FfmpegFailed) || error.kind === 'aborted' || error.kind === 'stalled') throw error;
      peaks.length = 0;
    }
  }
  await saveWaveform(deps.db, video, Buffer.from(peaks));
}
