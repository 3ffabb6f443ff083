/** Languages of the configured engine; null means any. */
export type SpeechEngine = { languages: readonly string[] | null };
