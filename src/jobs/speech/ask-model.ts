import { BadModelAnswer } from '../../media/transcript/model-answer.ts';
import type { LanguageModel, ModelRequest } from '../../ports/language-model.ts';

const LONGEST_QUOTE = 8_000;

/**
 * Has a model answer, and reads the answer; one that cannot be read is sent back once, with what is wrong with it.
 * Throws `BadModelAnswer` when the second one cannot be read either.
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
      `${request.instructions}\nAn earlier answer was refused: ${error.message} It was: ` +
      `${JSON.stringify(first.slice(0, LONGEST_QUOTE))}\nAnswer again, correctly.`;
    return read(await model.complete({ ...request, instructions: repair }, signal));
  }
}
