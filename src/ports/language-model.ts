/**
 * Input of a language model: `instructions`, which are ours, and `data`, which is text of a video and never an
 * instruction. `schema` (JSON Schema 2020-12) describes its response and `name` identifies it.
 */
export type ModelRequest = { name: string; instructions: string; data: string; schema: object };

/** A model that responds in JSON. */
export type LanguageModel = {
  name: string;
  /**
   * Returns text that should be JSON of the schema: the caller parses and checks it. Throws `EngineBusy` if it is
   * rate-limited, `Refused` if it will never respond, and other errors if it may respond later.
   */
  complete(request: ModelRequest, signal: AbortSignal): Promise<string>;
};
