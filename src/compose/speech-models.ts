import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type AddModelRequest, addModel } from '../adapters/sherpa/add-model.ts';
import {
  type InstalledModel,
  type InstalledModels,
  modelFolder,
  readInstalled,
} from '../adapters/sherpa/installed-models.ts';
import { KNOWN_MODELS, type KnownModel } from '../adapters/sherpa/known-models.ts';
import { readModel } from '../adapters/sherpa/read-model.ts';
import { platformFolder } from '../adapters/sherpa/sherpa-process.ts';
import { findSileroDetector } from '../adapters/voice-detector/silero-detector.ts';
import type { Settings } from '../config/settings.ts';
import { hasCode } from '../lib/has-code.ts';
import { createOutbound } from '../lib/outbound/outbound.ts';

const LOOK_LIMIT_MS = 10_000;

type Listed = { known: readonly KnownModel[]; installed: InstalledModels };

/** Returns the models that `millrace speech list` shows. */
export async function listSpeechModels(dataDir: string): Promise<Listed> {
  return { known: KNOWN_MODELS, installed: await readInstalled(dataDir) };
}

/** Adds a model from a source that the owner names. The command runs as the owner, so it may reach any address. */
export async function addSpeechModel(
  request: Omit<AddModelRequest, 'outbound'>,
  signal: AbortSignal,
): Promise<InstalledModel> {
  const outbound = createOutbound({ allow: ['0.0.0.0/0', '::/0'] });
  try {
    return await addModel({ ...request, outbound }, signal);
  } finally {
    await outbound.close();
  }
}

/** Describes the engine that transcribes, and the parts that it lacks. */
export async function describeSpeech(
  settings: Pick<Settings, 'transcriber' | 'dataDir'>,
): Promise<{ engine: string; missing: string[] }> {
  const library = platformFolder() === null ? ['the package sherpa-onnx-node for this machine'] : [];
  const voice =
    findSileroDetector() === null ? ['the detector of speech (@ricky0123/vad-web): spans are cut by level'] : [];
  switch (settings.transcriber.kind) {
    case 'none':
      return { engine: 'none (MILLRACE_TRANSCRIBER)', missing: [] };
    case 'pocketsphinx':
      return {
        engine: 'pocketsphinx, for demonstrations',
        missing: [...(await lacks('pocketsphinx_continuous', 'pocketsphinx and pocketsphinx-en-us')), ...voice],
      };
    case 'http':
      return { engine: `the service at ${settings.transcriber.url}`, missing: voice };
    case 'installed':
    case 'folder': {
      const folder = await currentModelFolder(settings);
      if (folder === null) {
        const unpack = await lacks('bzip2', 'bzip2');
        return { engine: 'none', missing: [...library, 'a model: "millrace speech add NAME"', ...unpack] };
      }
      const { name, layout } = await readModel(folder);
      return { engine: `${name} (${layout.kind})`, missing: [...library, ...voice] };
    }
  }
}

/** Returns a program that is not installed, with its Debian packages. */
async function lacks(program: string, packages: string): Promise<string[]> {
  try {
    await promisify(execFile)(program, ['--version'], { timeout: LOOK_LIMIT_MS });
    return [];
  } catch (error) {
    // A program that rejects the option is installed.
    return hasCode(error, 'ENOENT') ? [`the program ${program} (Debian: ${packages})`] : [];
  }
}

/** Returns the folder of the model in use on this machine, or null if the engine is remote or not configured. */
export async function currentModelFolder(settings: Pick<Settings, 'transcriber' | 'dataDir'>): Promise<string | null> {
  if (settings.transcriber.kind === 'folder') return settings.transcriber.folder;
  if (settings.transcriber.kind !== 'installed') return null;
  const { current } = await readInstalled(settings.dataDir);
  return current === null ? null : modelFolder(settings.dataDir, current);
}
