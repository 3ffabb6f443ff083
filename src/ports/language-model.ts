/**
 * Input of a language model. `instructions` are ours. `data` is text of a video and never an instruction. `schema`
 * (JSON Schema 2020-12) describes the response, and `name` identifies the schema.
 */
export type ModelRequest = { name: string; instructions: string; data: string; schema: object };

/** A model that responds in JSON. */
export type LanguageModel = {
  name: string;
  /**
   * Returns text that should be JSON of the schema. The caller parses and checks it. Throws `EngineBusy` if the model
   * is rate-limited, `Refused` if a retry is pointless, and another error if a retry may succeed.
   */
  complete(request: ModelRequest, signal: AbortSignal): Promise<string>;
};
