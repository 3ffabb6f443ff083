import type { TranscriberSettings } from '../config/engines.ts';
import type { Outbound } from '../lib/outbound/outbound.ts';
import type { Transcriber } from '../ports/transcriber.ts';

/** Opens the speech engine that the settings name; null for none. */
export async function openTranscriber(settings: TranscriberSettings, outbound: Outbound): Promise<Transcriber | null> {
  switch (settings.kind) {
    case 'none':
      return null;
    case 'pocketsphinx':
      return (await import('../adapters/transcriber/pocketsphinx.ts')).pocketsphinx;
    case 'http': {
      const { createOpenAiTranscriber } = await import('../adapters/transcriber/openai.ts');
      const { url, model, key } = settings;
      return createOpenAiTranscriber({ baseUrl: url, model, key, outbound });
    }
  }
}
