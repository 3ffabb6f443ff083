import type { MediaKey } from '../../catalog/db.ts';
import { loadLowestVideo } from '../../catalog/smart/smart-store.ts';
import { loadSpeechSource } from '../../catalog/speech/speech-store.ts';
import { createStatisticsStore } from '../../catalog/statistics/reports/statistics-store.ts';
import { runFfmpeg } from '../../media/ffmpeg/run-ffmpeg.ts';
import { planSpeechAudio } from '../../media/speech/plan-speech-audio.ts';
import { findCuts, levelDb, MINIATURE_BYTES, planScenes } from '../../media/transcript/plan-evidence.ts';
import type { Evidence } from '../../media/transcript/transcript.ts';
import { SPEECH_SAMPLE_RATE } from '../../ports/transcriber.ts';
import type { JobDeps } from '../job-deps.ts';
import { inBlocks, readFragments } from '../speech/read-fragments.ts';

const BYTES_A_SAMPLE = 2;

/** Reads additional inputs for chapters and moments: scene cuts, loudness and heat, as far as available. */
export async function readEvidence(
  key: MediaKey,
  durationSec: number,
  deps: JobDeps,
  signal: AbortSignal,
): Promise<Evidence> {
  const cutsSec = await readCuts(key, durationSec, deps, signal);
  const loudnessDb = await readLoudness(key, deps, signal);
  return { cutsSec, loudnessDb, heat: await createStatisticsStore(deps.db).heatCurve(key) };
}

async function readCuts(key: MediaKey, durationSec: number, deps: JobDeps, signal: AbortSignal): Promise<number[]> {
  const video = await loadLowestVideo(deps.db, key);
  if (video === null) return [];
  const options = { sourcePath: null, input: readFragments(video, deps.storage, signal) };
  const run = await runFfmpeg(planScenes(durationSec), options, signal);
  const miniatures: Uint8Array[] = [];
  for (const output of run.outputs) {
    for await (const block of inBlocks(output, MINIATURE_BYTES)) miniatures.push(Uint8Array.from(block));
  }
  await run.done;
  return findCuts(miniatures);
}

/** Returns the audio level of each second. */
async function readLoudness(key: MediaKey, deps: JobDeps, signal: AbortSignal): Promise<number[]> {
  const { audio } = await loadSpeechSource(deps.db, key);
  if (audio === null) return [];
  const options = { sourcePath: null, input: readFragments(audio, deps.storage, signal) };
  const run = await runFfmpeg(planSpeechAudio(audio.durationSec, SPEECH_SAMPLE_RATE), options, signal);
  const levels: number[] = [];
  for (const output of run.outputs) {
    for await (const block of inBlocks(output, SPEECH_SAMPLE_RATE * BYTES_A_SAMPLE)) levels.push(levelDb(block));
  }
  await run.done;
  return levels;
}
