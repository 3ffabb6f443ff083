import type { SpeechAudio } from '../../catalog/speech/speech-store.ts';
import { runFfmpeg } from '../../media/ffmpeg/run-ffmpeg.ts';
import { cutSpans, type Span } from '../../media/speech/cut-spans.ts';
import { cutVoiceSpans } from '../../media/speech/cut-voice-spans.ts';
import { planSpeechAudio } from '../../media/speech/plan-speech-audio.ts';
import { SPEECH_SAMPLE_RATE } from '../../ports/transcriber.ts';
import type { VoiceDetection } from '../../ports/voice-detector.ts';
import type { JobDeps } from '../job-deps.ts';
import { asBuffers, readFragments } from './read-fragments.ts';

/**
 * Maximum time in seconds that an engine needs for a span, during which the decoder pauses. The engine adapters allow
 * at most ten minutes.
 */
const SLOWEST_SPAN_SEC = 900;

/** Spans of an audio track. `close` stops their producers at any point of the iteration. */
export type OpenSpans = { spans: AsyncIterable<Span>; done: Promise<unknown>; close(): Promise<void> };

/**
 * Decodes stored audio and cuts it into spans of speech, or of sufficiently loud audio if speech cannot be detected.
 */
export async function openSpans(audio: SpeechAudio, deps: JobDeps, signal: AbortSignal): Promise<OpenSpans> {
  const ending = new AbortController();
  const either = AbortSignal.any([signal, ending.signal]);
  const detection = await openDetection(deps, either);
  try {
    const plan = planSpeechAudio(audio.durationSec, SPEECH_SAMPLE_RATE);
    const options = { sourcePath: null, input: readFragments(audio, deps.storage, signal), stallSec: SLOWEST_SPAN_SEC };
    const run = await runFfmpeg(plan, options, either);
    const [samples] = run.outputs;
    if (samples === undefined) throw new Error('Expected the decoder to have a pipe of samples, got none.');
    const decoded = asBuffers(samples);
    const findVoice = detection?.feed.bind(detection);
    return {
      spans:
        findVoice === undefined
          ? cutSpans(decoded, SPEECH_SAMPLE_RATE)
          : cutVoiceSpans(decoded, SPEECH_SAMPLE_RATE, findVoice),
      done: run.done,
      async close() {
        ending.abort();
        detection?.close();
        // The outcome is already known, so the error of the stopped run is ignored.
        await run.done.catch(() => undefined);
      },
    };
  } catch (error) {
    detection?.close();
    throw error;
  }
}

/** If the detector does not run on this machine, transcription continues without it. */
async function openDetection({ voice, report }: JobDeps, signal: AbortSignal): Promise<VoiceDetection | null> {
  try {
    return (await voice?.open(signal)) ?? null;
  } catch (error) {
    signal.throwIfAborted();
    report(
      new Error(`Speech is split by audio level, because ${voice?.name} does not run on this machine.`, {
        cause: error,
      }),
    );
    return null;
  }
}
