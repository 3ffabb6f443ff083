import type { Outbound } from '../../lib/outbound/outbound.ts';
import { quote } from '../../lib/quote.ts';
import type { LanguageModel, ModelRequest } from '../../ports/language-model.ts';
import { engineUrl, parseAnswer, postToEngine } from '../engine-request.ts';

const MAX_ANSWER_BYTES = 2 * 2 ** 20;
const MAX_ANSWER_TOKENS = 8_000;
const LIMIT_MS = 10 * 60_000;
const NAME = 'The language model';

type OpenAiOptions = { baseUrl: string; model: string; key: string | null; outbound: Outbound };

/**
 * Client of a service that accepts `POST …/chat/completions` like OpenAI's, with `response_format` `json_schema` (as
 * llama.cpp, vLLM, Ollama and hosted services do).
 */
export function createOpenAiModel({ baseUrl, model, key, outbound }: OpenAiOptions): LanguageModel {
  const url = engineUrl(baseUrl, 'chat/completions');
  const engine = { name: NAME, setting: 'MILLRACE_LANGUAGE_MODEL_URL', url, key, outbound };
  return {
    name: new URL(url).host,
    async complete(request, signal) {
      const body = JSON.stringify({ model, ...toBody(request) });
      const limits = { maxBytes: MAX_ANSWER_BYTES, limitMs: LIMIT_MS };
      return readContent(await postToEngine(engine, { body, contentType: 'application/json', ...limits }, signal));
    },
  };
}

function toBody({ name, instructions, data, schema }: ModelRequest): object {
  return {
    temperature: 0.2,
    max_tokens: MAX_ANSWER_TOKENS,
    messages: [
      { role: 'system', content: instructions },
      { role: 'user', content: data },
    ],
    response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } },
  };
}

function readContent(said: string): string {
  const { choices } = parseAnswer(NAME, said);
  const [choice]: unknown[] = Array.isArray(choices) ? choices : [];
  const content: unknown = Object(Object(choice).message).content;
  if (typeof content === 'string') return content;
  throw new Error(`Expected a string as choices[0].message.content from the language model, got ${quote(said)}.`);
}
