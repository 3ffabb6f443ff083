import { createRequire } from 'node:module';

type Stream = { acceptWaveform(audio: { samples: Float32Array; sampleRate: number }): void };

/**
 * The part of sherpa-onnx-node that this project uses. Its calls block, and a crash of its native code ends the
 * process.
 */
export type SherpaLibrary = {
  OfflineRecognizer: new (
    config: object,
  ) => { createStream(): Stream; decode(stream: Stream): void; getResult(stream: Stream): unknown };
  Vad: new (
    config: object,
    bufferSec: number,
  ) => {
    acceptWaveform(samples: Float32Array): void;
    isDetected(): boolean;
    isEmpty(): boolean;
    front(external: boolean): { start: number; samples: Float32Array };
    pop(): void;
    flush(): void;
  };
};

/** Loads the library, an optional package. Throws if it is not installed or cannot be loaded on this machine. */
export function loadSherpa(): SherpaLibrary {
  return createRequire(import.meta.url)('sherpa-onnx-node');
}
