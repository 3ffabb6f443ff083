import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SPEECH_SAMPLE_RATE } from '../../ports/transcriber.ts';
import type { VoiceDetector } from '../../ports/voice-detector.ts';
import { platformFolder, SherpaProcess } from '../sherpa/sherpa-process.ts';

const MODEL = 'silero_vad_v5.onnx';
/** Time limit of a block, in ms. A block of several seconds takes about a tenth of a second. */
const LIMIT_MS = 60_000;

/** Returns the model file in `@ricky0123/vad-web`, or null if that package is not installed. */
function findModel(): string | null {
  try {
    const file = join(dirname(createRequire(import.meta.url).resolve('@ricky0123/vad-web')), MODEL);
    return existsSync(file) ? file : null;
  } catch {
    // The package is optional.
    return null;
  }
}

/**
 * Returns a detector that runs Silero VAD with sherpa-onnx, in a separate process for each audio track. Returns null if
 * one of the two is not installed.
 */
export function findSileroDetector(): VoiceDetector | null {
  const model = findModel();
  if (model === null || platformFolder() === null) return null;
  return {
    name: 'Silero VAD',
    async open(signal) {
      const child = new SherpaProcess();
      const feed = async (samples: Buffer, isLast: boolean) => {
        const answer = await child.request({ kind: 'detect', model, samples, isLast }, LIMIT_MS, signal);
        if (!('stretches' in answer))
          throw new Error(`Expected stretches from sherpa-onnx, got ${Object.keys(answer).join(', ')}.`);
        return answer.stretches.map(({ start, end }) => ({
          startSec: start / SPEECH_SAMPLE_RATE,
          endSec: end / SPEECH_SAMPLE_RATE,
        }));
      };
      try {
        // Load the library and the model now, so that a machine that cannot run them is detected.
        await feed(Buffer.alloc(0), false);
      } catch (error) {
        child.close();
        throw error;
      }
      return { feed, close: () => child.close() };
    },
  };
}
