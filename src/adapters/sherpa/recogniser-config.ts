import { join } from 'node:path';
import { SPEECH_SAMPLE_RATE } from '../../ports/transcriber.ts';
import type { ModelLayout } from './model-layout.ts';
import type { ReadModel } from './read-model.ts';
import type { RecogniserConfig } from './sherpa-messages.ts';

type Wanted = { language: string | null; threads: number };

/** Returns the configuration with which sherpa-onnx loads a model. Its paths are absolute. */
export function recogniserConfig({ folder, layout }: ReadModel, { language, threads }: Wanted): RecogniserConfig {
  const at = (file: string) => join(folder, file);
  const shared = { tokens: at(layout.tokens), numThreads: threads, provider: 'cpu', debug: 0 };
  return {
    featConfig: { sampleRate: SPEECH_SAMPLE_RATE, featureDim: 80 },
    modelConfig: { ...shared, ...engineConfig(layout, at, language ?? '') },
  };
}

function engineConfig(layout: ModelLayout, at: (file: string) => string, language: string): Record<string, unknown> {
  switch (layout.kind) {
    case 'whisper': {
      const files = { encoder: at(layout.encoder), decoder: at(layout.decoder) };
      const timed = { enableTokenTimestamps: true, enableSegmentTimestamps: false };
      return { whisper: { ...files, ...timed, language: layout.isEnglish ? 'en' : language, task: 'transcribe' } };
    }
    case 'moonshine': {
      const decoders = { uncachedDecoder: at(layout.uncachedDecoder), cachedDecoder: at(layout.cachedDecoder) };
      return { moonshine: { preprocessor: at(layout.preprocessor), encoder: at(layout.encoder), ...decoders } };
    }
    case 'moonshine-merged':
      return { moonshine: { encoder: at(layout.encoder), mergedDecoder: at(layout.mergedDecoder) } };
    case 'zipformer':
    case 'parakeet': {
      const transducer = { encoder: at(layout.encoder), decoder: at(layout.decoder), joiner: at(layout.joiner) };
      return { transducer, modelType: layout.kind === 'parakeet' ? 'nemo_transducer' : 'transducer' };
    }
    case 'zipformer-ctc':
      return { zipformerCtc: { model: at(layout.model) } };
    case 'parakeet-ctc':
      return { nemoCtc: { model: at(layout.model) } };
    case 'paraformer':
      return { paraformer: { model: at(layout.model) } };
    case 'sense-voice':
      return { senseVoice: { model: at(layout.model), language, useInverseTextNormalization: 1 } };
  }
}
