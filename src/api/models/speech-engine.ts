/** The languages of the configured engine; null: any. */
export type SpeechEngine = { languages: readonly string[] | null };
