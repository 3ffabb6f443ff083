/**
 * What a language model is given: instructions, which are ours, and `data`, which is text of a video and never an
 * instruction; `schema` (JSON Schema 2020-12) is that of its answer and `name` identifies it.
 */
export type ModelRequest = { name: string; instructions: string; data: string; schema: object };

/** A model that answers in JSON. */
export type LanguageModel = {
  name: string;
  /**
   * Answers the text that should be JSON of the schema: the caller parses and checks it. Throws `EngineBusy` when it is
   * limited, `Refused` when it will never answer, and other errors when it may answer later.
   */
  complete(request: ModelRequest, signal: AbortSignal): Promise<string>;
};
