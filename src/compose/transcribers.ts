import { type InstalledModel, modelFolder, readInstalled } from '../adapters/sherpa/installed-models.ts';
import { readModel } from '../adapters/sherpa/read-model.ts';
import { createSherpaTranscriber } from '../adapters/transcriber/sherpa-transcriber.ts';
import type { TranscriberSettings } from '../config/engines.ts';
import type { Outbound } from '../lib/outbound/outbound.ts';
import type { Transcriber } from '../ports/transcriber.ts';

/** Maximum threads of a recogniser, which gains little from more. Encoders use the rest. */
const MAX_THREADS = 4;

type Place = { dataDir: string; encodeThreads: number; outbound: Outbound };

/**
 * Finds the configured speech engine, again at each call, so that a model that was added since is used without a
 * restart. Returns null for none.
 */
export async function openTranscribers(
  settings: TranscriberSettings,
  { dataDir, encodeThreads, outbound }: Place,
): Promise<() => Promise<Transcriber | null>> {
  const threads = Math.min(MAX_THREADS, encodeThreads);
  switch (settings.kind) {
    case 'none':
      return async () => null;
    case 'pocketsphinx': {
      const { pocketsphinx } = await import('../adapters/transcriber/pocketsphinx.ts');
      return async () => pocketsphinx;
    }
    case 'http': {
      const { createOpenAiTranscriber } = await import('../adapters/transcriber/open-ai-transcriber.ts');
      const { url, model, key } = settings;
      const service = createOpenAiTranscriber({ baseUrl: url, model, key, outbound });
      return async () => service;
    }
    case 'folder': {
      const open = openLast(threads);
      return async () => await open(settings.folder);
    }
    case 'installed': {
      const open = openLast(threads);
      return async () => {
        const { current, models } = await readInstalled(dataDir);
        const model = models.find(({ name }) => name === current);
        return model === undefined ? null : await open(modelFolder(dataDir, model.name), model);
      };
    }
  }
}

type Known = Pick<InstalledModel, 'languages' | 'sha256' | 'addedAt'>;

/**
 * Keeps the engine that was opened last, because its process runs while spans arrive. If the model under that name
 * changes, the engine is opened again; the old process exits when it has no more work.
 */
function openLast(threads: number): (folder: string, known?: Known) => Promise<Transcriber> {
  let opened: { model: string; engine: Transcriber } | null = null;
  return async (folder, known) => {
    const model = JSON.stringify([folder, known?.sha256, known?.addedAt]);
    if (opened?.model === model) return opened.engine;
    const engine = createSherpaTranscriber({ model: await readModel(folder, known), threads });
    opened = { model, engine };
    return engine;
  };
}
