import type { VoiceDetector } from '../ports/voice-detector.ts';

/** Returns the installed speech detector, or null if there is none. */
export async function findVoiceDetector(): Promise<VoiceDetector | null> {
  return (await import('../adapters/voice-detector/silero-detector.ts')).findSileroDetector();
}
