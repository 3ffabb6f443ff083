/** Languages of the configured engine; null is any. */
export type SpeechEngine = { languages: readonly string[] | null };
