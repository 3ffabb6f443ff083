import { availableParallelism } from 'node:os';
import { isAbsolute } from 'node:path';
import { parseBaseUrl, parseSwitch, parseWholeNumber, setting } from './setting.ts';

/** A service with the OpenAI transcription API; `key` is sent as a bearer token. */
export type HttpTranscriberSettings = { kind: 'http'; url: string; model: string; key: string | null };

/** The speech engine: the last added model (`installed`), one in a folder, or another engine. */
export type TranscriberSettings =
  | { kind: 'none' | 'installed' | 'pocketsphinx' }
  | { kind: 'folder'; folder: string }
  | HttpTranscriberSettings;

/** A service with the OpenAI chat API; `key` is sent as a bearer token. */
export type LanguageModelSettings = { url: string; model: string; key: string | null };

export type SandboxSetting = 'auto' | 'bubblewrap' | 'landlock' | 'none';

export type EngineSettings = {
  encodeThreads: number;
  /** Cores for encoding live streams; 0: streams are only passed through. */
  liveCores: number;
  makesPreviews: boolean;
  /** Sandbox of the encoders. `auto`: bubblewrap, else Landlock. */
  sandbox: SandboxSetting;
  /** True if ffmpeg may use decoders outside the list of usual ones. */
  allowsRareDecoders: boolean;
  transcriber: TranscriberSettings;
  /** URL of published speech model archives, without a final slash. */
  speechModelsUrl: string;
  languageModel: LanguageModelSettings | null;
};

const MAX_CORES = 256;
const SANDBOXES: readonly SandboxSetting[] = ['auto', 'bubblewrap', 'landlock', 'none'];

export const engineSchema = {
  MILLRACE_ENCODE_THREADS: setting('a number of threads from 1 to 256', parseThreads),
  MILLRACE_LIVE_CORES: setting(`a number of cores from 0 to ${MAX_CORES}, such as 1.5`, parseCores),
  MILLRACE_PREVIEWS: setting('on or off', parseSwitch),
  MILLRACE_SANDBOX: setting('auto, bubblewrap, landlock or none', parseSandbox),
  MILLRACE_RARE_DECODERS: setting('on or off', parseSwitch),
  MILLRACE_TRANSCRIBER: setting(
    'none, installed, pocketsphinx, the whole path of a folder with a model, or an http:// or https:// URL',
    parseTranscriber,
  ),
  MILLRACE_SPEECH_MODELS_URL: setting('an http:// or https:// URL without user or query', parseBaseUrl),
  MILLRACE_TRANSCRIBER_MODEL: setting('the name of a model, up to 200 characters', parseName),
  MILLRACE_TRANSCRIBER_KEY: setting('a key of visible ASCII characters without spaces', parseToken, { isSecret: true }),
  MILLRACE_LANGUAGE_MODEL_URL: setting('an http:// or https:// URL without user or query', parseBaseUrl),
  MILLRACE_LANGUAGE_MODEL: setting('the name of a model, up to 200 characters', parseName),
  MILLRACE_LANGUAGE_MODEL_KEY: setting('a key of visible ASCII characters without spaces', parseToken, {
    isSecret: true,
  }),
};

type Texts = Partial<Record<keyof typeof engineSchema, string>>;

export function engineSettings(texts: Texts): EngineSettings {
  return {
    encodeThreads: parseThreads(texts.MILLRACE_ENCODE_THREADS ?? '') ?? availableParallelism(),
    liveCores: parseCores(texts.MILLRACE_LIVE_CORES ?? '') ?? availableParallelism(),
    makesPreviews: parseSwitch(texts.MILLRACE_PREVIEWS ?? '') ?? true,
    sandbox: parseSandbox(texts.MILLRACE_SANDBOX ?? '') ?? 'auto',
    allowsRareDecoders: parseSwitch(texts.MILLRACE_RARE_DECODERS ?? '') ?? false,
    transcriber: transcriber(texts),
    speechModelsUrl: parseBaseUrl(texts.MILLRACE_SPEECH_MODELS_URL ?? '') ?? SPEECH_MODELS_URL,
    languageModel: languageModel(texts),
  };
}

/** Default model name. Servers with a single model ignore it. */
const USUAL_MODEL = 'default';

function languageModel(texts: Texts): LanguageModelSettings | null {
  const url = parseBaseUrl(texts.MILLRACE_LANGUAGE_MODEL_URL ?? '');
  if (url === null) return null;
  const key = parseToken(texts.MILLRACE_LANGUAGE_MODEL_KEY ?? '');
  return { url, model: texts.MILLRACE_LANGUAGE_MODEL ?? USUAL_MODEL, key };
}

function parseName(text: string): string | null {
  return /^[\x21-\x7e]{1,200}$/.test(text) ? text : null;
}

function parseToken(text: string): string | null {
  return /^[\x21-\x7e]{1,1000}$/.test(text) ? text : null;
}

function parseSandbox(text: string): SandboxSetting | null {
  // Name of the setting for bubblewrap in version 0.1.
  if (text === 'required') return 'bubblewrap';
  return SANDBOXES.find((known) => known === text) ?? null;
}

function parseThreads(text: string): number | null {
  return parseWholeNumber(text, 1, 256);
}

function parseCores(text: string): number | null {
  return /^\d{1,3}(\.\d)?$/.test(text) && Number(text) <= MAX_CORES ? Number(text) : null;
}

/** URL at which the makers of sherpa-onnx publish models. */
const SPEECH_MODELS_URL = 'https://github.com/k2-fsa/sherpa-onnx/releases/download/asr-models';

/** Default model name, as in the first services of this kind. */
const USUAL_TRANSCRIBER = 'whisper-1';

function transcriber(texts: Texts): TranscriberSettings {
  const engine = parseTranscriber(texts.MILLRACE_TRANSCRIBER ?? 'installed');
  if (engine === null) return { kind: 'none' };
  if (engine.kind !== 'http') return engine;
  const key = parseToken(texts.MILLRACE_TRANSCRIBER_KEY ?? '');
  return { ...engine, model: texts.MILLRACE_TRANSCRIBER_MODEL ?? USUAL_TRANSCRIBER, key };
}

type Engine = Exclude<TranscriberSettings, HttpTranscriberSettings> | { kind: 'http'; url: string };

function parseTranscriber(text: string): Engine | null {
  if (text === 'none' || text === 'installed' || text === 'pocketsphinx') return { kind: text };
  if (isAbsolute(text)) return text.includes('\0') ? null : { kind: 'folder', folder: text };
  const url = parseBaseUrl(text);
  return url === null ? null : { kind: 'http', url };
}
