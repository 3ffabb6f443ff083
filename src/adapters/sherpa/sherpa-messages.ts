import type { RecognisedSpan } from './recognised-words.ts';

/** Configuration of a recogniser for sherpa-onnx, as plain data. */
export type RecogniserConfig = {
  featConfig: { sampleRate: number; featureDim: number };
  modelConfig: Record<string, unknown>;
};

/** A request to the sherpa-onnx process. Samples are signed 16-bit little-endian, one channel, 16 kHz. */
export type SherpaRequest =
  | { id: number; kind: 'recognise'; config: RecogniserConfig; samples: Uint8Array }
  | { id: number; kind: 'detect'; model: string; samples: Uint8Array; isLast: boolean };

/** A response of the sherpa-onnx process. Positions are in samples from the start of the audio. */
export type SherpaAnswer =
  | { id: number; span: RecognisedSpan }
  | { id: number; stretches: { start: number; end: number }[] }
  | { id: number; failure: string; isMissing: boolean };
