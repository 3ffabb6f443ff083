/**
 * Input of a language model. `instructions` are written by this project. `data` is text of a video, which the model
 * must not treat as instructions. `schema` (JSON Schema 2020-12) describes the response, and `name` identifies the
 * schema.
 */
export type ModelRequest = { name: string; instructions: string; data: string; schema: object };

/** A model that responds in JSON. */
export type LanguageModel = {
  name: string;
  /**
   * Returns text that should be JSON according to the schema. The caller must parse and check it. Throws `EngineBusy`
   * if the model is rate-limited, `Refused` if a retry is pointless, and another error if a retry may succeed.
   */
  complete(request: ModelRequest, signal: AbortSignal): Promise<string>;
};
