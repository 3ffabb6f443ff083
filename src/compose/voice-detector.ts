import type { VoiceDetector } from '../ports/voice-detector.ts';

/** The detector of speech that is installed; null without one. */
export async function findVoiceDetector(): Promise<VoiceDetector | null> {
  return (await import('../adapters/voice-detector/silero.ts')).findSileroDetector();
}
