import { EngineCrashed } from '../../ports/engine-crashed.ts';
import { SPEECH_SAMPLE_RATE, type Speech, type Transcriber } from '../../ports/transcriber.ts';
import type { ReadModel } from '../sherpa/read-model.ts';
import { readRecognisedWords } from '../sherpa/recognised-words.ts';
import { recogniserConfig } from '../sherpa/recogniser-config.ts';
import { SherpaDied, SherpaProcess } from '../sherpa/sherpa-process.ts';

/** Time limit of a span of half a minute, in ms. It includes the time to load a large model before the first span. */
const LIMIT_MS = 5 * 60_000;
/** Time without transcriptions after which a model, which may use gigabytes of memory, is unloaded, in ms. */
const IDLE_MS = 60_000;
const TRIES = 2;
const BYTES_A_SEC = 2 * SPEECH_SAMPLE_RATE;

type SherpaOptions = {
  model: ReadModel;
  /** Number of threads. They compete with the encoders. */
  threads: number;
  idleMs?: number;
  /** Child program, which tests replace. */
  program?: string;
};

/**
 * Creates a transcriber that uses a model on this machine. sherpa-onnx runs in a separate process while spans arrive. A
 * span at which this process crashes twice fails with `EngineCrashed`. Later spans continue in a new process.
 */
export function createSherpaTranscriber({ model, threads, idleMs = IDLE_MS, program }: SherpaOptions): Transcriber {
  let child: SherpaProcess | null = null;
  let idle: NodeJS.Timeout | undefined;
  const usual = model.languages?.[0] ?? 'en';

  async function recognise(samples: Buffer, language: string | null, signal: AbortSignal): Promise<Speech> {
    if (child === null || child.isOver) child = new SherpaProcess(program);
    const config = recogniserConfig(model, { language, threads });
    const answer = await child.request({ kind: 'recognise', config, samples }, LIMIT_MS, signal);
    if (!('span' in answer))
      throw new Error(`Expected a span from sherpa-onnx, got ${Object.keys(answer).join(', ')}.`);
    return readRecognisedWords(answer.span, samples.length / BYTES_A_SEC, language ?? usual);
  }

  return {
    name: `sherpa-onnx ${model.name}`,
    languages: model.languages,
    isLocal: true,
    async transcribe(samples, { language }, signal) {
      clearTimeout(idle);
      try {
        for (let tried = 1; ; tried += 1) {
          try {
            const speech = await recognise(samples, language, signal);
            return { ...speech, language: language ?? speech.language };
          } catch (error) {
            if (!(error instanceof SherpaDied) || signal.aborted) throw error;
            if (tried === TRIES) throw new EngineCrashed(error.message, { cause: error });
          }
        }
      } finally {
        clearTimeout(idle);
        idle = setTimeout(() => child?.close(), idleMs).unref();
      }
    },
  };
}
