import { BadModelAnswer } from '../../media/transcript/model-answer.ts';
import type { LanguageModel, ModelRequest } from '../../ports/language-model.ts';

const MAX_QUOTE_CHARS = 8_000;

/**
 * Queries a model and parses its response. Sends an unreadable response back once, with the reason. Throws
 * `BadModelAnswer` if the second response is unreadable too.
 */
export async function askModel<T>(
  model: LanguageModel,
  { request, read }: { request: ModelRequest; read: (answer: string) => T },
  signal: AbortSignal,
): Promise<T> {
  const first = await model.complete(request, signal);
  try {
    return read(first);
  } catch (error) {
    if (!(error instanceof BadModelAnswer)) throw error;
    const repair =
      `${request.instructions}\nAn earlier response was rejected: ${error.message} It was: ` +
      `${JSON.stringify(first.slice(0, MAX_QUOTE_CHARS))}\nAnswer again, correctly.`;
    return read(await model.complete({ ...request, instructions: repair }, signal));
  }
}
