// Entry point of the process that runs sherpa-onnx. A separate process is used because calls of the library block and
// its models use much memory. If its native code crashes, only the current span is lost, and the worker continues.
import { getPriority, setPriority } from 'node:os';
import { SPEECH_SAMPLE_RATE } from '../../ports/transcriber.ts';
import { MAX_SPAN_SEC } from '../../ports/voice-detector.ts';
import type { RecognisedSpan } from './recognised-words.ts';
import { loadSherpa, type SherpaLibrary } from './sherpa-library.ts';
import type { RecogniserConfig, SherpaAnswer, SherpaRequest } from './sherpa-messages.ts';

/** Niceness of the process. Encoders have a niceness of 10, so they take precedence. */
const NICENESS = 15;
/**
 * Number of samples per Silero window, and number of windows per call. A call passes several windows, because each call
 * copies a segment.
 */
const WINDOW = 512;
const WINDOWS_AT_ONCE = 2;
const VAD_BUFFER_SEC = 60;
const MAX_SAMPLES = MAX_SPAN_SEC * SPEECH_SAMPLE_RATE;

setPriority(Math.max(NICENESS, getPriority()));
// Exit when the parent process has exited.
process.once('disconnect', () => process.exit(0));
process.on('SIGINT', () => undefined);

let library: SherpaLibrary | null = null;
let recogniser: { of: string; value: InstanceType<SherpaLibrary['OfflineRecognizer']> } | null = null;
let detection: Detection | null = null;

process.on('message', (request: SherpaRequest) => {
  const isFirst = library === null;
  try {
    library ??= loadSherpa();
    answer(respond(library, request));
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    answer({ id: request.id, failure, isMissing: isFirst && library === null });
  }
});

function answer(message: SherpaAnswer): void {
  process.send?.(message);
}

function respond(sherpa: SherpaLibrary, request: SherpaRequest): SherpaAnswer {
  const { id } = request;
  const samples = toFloats(request.samples);
  switch (request.kind) {
    case 'recognise':
      return { id, span: recognise(sherpa, request.config, samples) };
    case 'detect':
      detection ??= openDetection(sherpa, request.model);
      return { id, stretches: detect(detection, samples, request.isLast) };
  }
}

/** Converts 16-bit samples to floats. Copies the bytes first, because they may start at an odd address. */
function toFloats(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float32Array.from({ length: bytes.byteLength >> 1 }, (_, index) => view.getInt16(2 * index, true) / 32_768);
}

function recognise(sherpa: SherpaLibrary, config: RecogniserConfig, samples: Float32Array): RecognisedSpan {
  const of = JSON.stringify(config);
  if (recogniser?.of !== of) recogniser = { of, value: new sherpa.OfflineRecognizer(config) };
  const stream = recogniser.value.createStream();
  stream.acceptWaveform({ samples, sampleRate: SPEECH_SAMPLE_RATE });
  recogniser.value.decode(stream);
  const { text, lang, tokens, timestamps } = Object(recogniser.value.getResult(stream));
  return {
    text: String(text ?? ''),
    lang: String(lang ?? ''),
    tokens: Array.isArray(tokens) ? tokens.map(String) : [],
    timestamps: Array.isArray(timestamps) ? timestamps.map(Number) : [],
  };
}

type Detection = {
  vad: InstanceType<SherpaLibrary['Vad']>;
  rest: Float32Array;
  fed: number;
  spokenSince: number | null;
};

function openDetection(sherpa: SherpaLibrary, model: string): Detection {
  const sileroVad = { model, threshold: 0.5, minSilenceDuration: 0.5, minSpeechDuration: 0.2, windowSize: WINDOW };
  const config = {
    sileroVad: { ...sileroVad, maxSpeechDuration: MAX_SPAN_SEC - 6 },
    sampleRate: SPEECH_SAMPLE_RATE,
  };
  const vad = new sherpa.Vad({ ...config, numThreads: 1, provider: 'cpu', debug: false }, VAD_BUFFER_SEC);
  return { vad, rest: new Float32Array(0), fed: 0, spokenSince: null };
}

function detect(state: Detection, samples: Float32Array, isLast: boolean): { start: number; end: number }[] {
  const { vad } = state;
  const audio = new Float32Array(state.rest.length + samples.length);
  audio.set(state.rest);
  audio.set(samples, state.rest.length);
  const step = WINDOW * WINDOWS_AT_ONCE;
  let at = 0;
  for (; at + step <= audio.length; at += step) {
    vad.acceptWaveform(audio.subarray(at, at + step));
    state.fed += step;
    state.spokenSince = vad.isDetected() ? (state.spokenSince ?? state.fed) : null;
    if (state.spokenSince === null || state.fed - state.spokenSince < MAX_SAMPLES - SPEECH_SAMPLE_RATE) continue;
    vad.flush();
    state.spokenSince = null;
  }
  state.rest = audio.slice(at);
  if (isLast) vad.flush();
  const stretches: { start: number; end: number }[] = [];
  for (; !vad.isEmpty(); vad.pop()) {
    const { start, samples: spoken } = vad.front(false);
    stretches.push({ start, end: start + spoken.length });
  }
  return stretches;
}
