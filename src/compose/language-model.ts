import type { LanguageModelSettings } from '../config/engines.ts';
import type { Outbound } from '../lib/outbound/outbound.ts';
import type { LanguageModel } from '../ports/language-model.ts';

/** Opens the configured language model. Returns null if none is configured. */
export async function openLanguageModel(
  settings: LanguageModelSettings | null,
  outbound: Outbound,
): Promise<LanguageModel | null> {
  if (settings === null) return null;
  const { createOpenAiModel } = await import('../adapters/language-model/open-ai-model.ts');
  return createOpenAiModel({ baseUrl: settings.url, model: settings.model, key: settings.key, outbound });
}
