/** Kind of model in a folder, with its file names. */
export type ModelLayout =
  | { kind: 'whisper'; encoder: string; decoder: string; tokens: string; isEnglish: boolean }
  | {
      kind: 'moonshine';
      preprocessor: string;
      encoder: string;
      uncachedDecoder: string;
      cachedDecoder: string;
      tokens: string;
    }
  | { kind: 'moonshine-merged'; encoder: string; mergedDecoder: string; tokens: string }
  | { kind: 'zipformer' | 'parakeet'; encoder: string; decoder: string; joiner: string; tokens: string }
  | { kind: 'zipformer-ctc' | 'parakeet-ctc' | 'paraformer' | 'sense-voice'; model: string; tokens: string };

type Parts = Partial<
  Record<
    'preprocess' | 'encode' | 'encoder' | 'decoder' | 'joiner' | 'uncached' | 'cached' | 'merged' | 'model',
    string
  >
>;

const MODEL_FILE = /\.(onnx|ort)$/;

/**
 * Recognises the layouts in which models of sherpa-onnx are published, from the file names of a folder and the tokens
 * of its vocabulary. Returns null for any other folder. Prefers 8-bit files, which are faster on CPUs and equally
 * accurate.
 */
export function recogniseModel(files: readonly string[], readTokens: (file: string) => string): ModelLayout | null {
  const tokens = files.find((file) => /(^|-)tokens\.txt$/.test(file));
  if (tokens === undefined) return null;
  const parts = findParts(files.filter((file) => MODEL_FILE.test(file)));
  const { preprocess, encode, encoder, decoder, joiner, uncached, cached, merged, model } = parts;
  if (preprocess !== undefined && encode !== undefined && uncached !== undefined && cached !== undefined) {
    const decoders = { uncachedDecoder: uncached, cachedDecoder: cached };
    return { kind: 'moonshine', preprocessor: preprocess, encoder: encode, ...decoders, tokens };
  }
  if (encoder !== undefined && merged !== undefined) {
    return { kind: 'moonshine-merged', encoder, mergedDecoder: merged, tokens };
  }
  if (encoder !== undefined && decoder !== undefined && joiner !== undefined) {
    const kind = blankOf(readTokens(tokens)) === 'last' ? 'parakeet' : 'zipformer';
    return { kind, encoder, decoder, joiner, tokens };
  }
  if (encoder !== undefined && decoder !== undefined && tokens !== 'tokens.txt') {
    return { kind: 'whisper', encoder, decoder, tokens, isEnglish: /\.en-tokens\.txt$/.test(tokens) };
  }
  return model === undefined ? null : { kind: kindOfSingle(readTokens(tokens)), model, tokens };
}

const PART_NAMES: readonly [keyof Parts, RegExp][] = [
  ['preprocess', /^preprocess\b/],
  ['uncached', /^uncached_decode\b/],
  ['cached', /^cached_decode\b/],
  ['merged', /^decoder_model_merged\b/],
  ['encode', /^encode\b/],
  ['joiner', /(^|-)joiner\b/],
  ['decoder', /(^|-)decoder\b/],
  ['encoder', /(^|-)encoder(_model)?\b/],
  ['model', /^model\b/],
];

function findParts(files: readonly string[]): Parts {
  const parts: Parts = {};
  for (const file of files.toSorted((a, b) => Number(isSmall(b)) - Number(isSmall(a)))) {
    const part = PART_NAMES.find(([, name]) => name.test(file))?.[0];
    if (part !== undefined) parts[part] ??= file;
  }
  return parts;
}

function isSmall(file: string): boolean {
  return /\.int8\./.test(file);
}

/** Returns the position of the blank token in a vocabulary: first (icefall), last (NeMo), or null if there is none. */
function blankOf(tokens: string): 'first' | 'last' | null {
  const lines = tokens.trimEnd().split('\n');
  if (/^<blk> /.test(lines.at(-1) ?? '')) return 'last';
  return /^<(blk|blank|eps)> /.test(lines[0] ?? '') ? 'first' : null;
}

function kindOfSingle(tokens: string): 'zipformer-ctc' | 'parakeet-ctc' | 'paraformer' | 'sense-voice' {
  if (/^<\|(zh|en|yue|ja|ko)\|> /m.test(tokens)) return 'sense-voice';
  if (blankOf(tokens) === 'last') return 'parakeet-ctc';
  return /^<blank> /.test(tokens) ? 'paraformer' : 'zipformer-ctc';
}

const SENSE_VOICE = ['zh', 'en', 'ja', 'ko'];

/**
 * Returns the languages that a model supports (ISO 639-1), or null for all. They follow from its kind, or else from the
 * codes in its published name (`…-zh-en-2024-01-01`). The default is English.
 */
export function languagesOf(layout: ModelLayout, name: string): readonly string[] | null {
  if (layout.kind === 'whisper') return layout.isEnglish ? ['en'] : null;
  if (layout.kind === 'sense-voice') return SENSE_VOICE;
  const named = name
    .toLowerCase()
    .split(/[-_.]/)
    .filter((part) => CODES.has(part));
  return named.length > 0 ? [...new Set(named)] : ['en'];
}

/** Language codes that occur in the names of models. Other parts of names (`v2`, `tdt`) are not languages. */
const CODES = new Set(
  'en zh ja ko de fr es it pt ru uk pl nl sv da fi no cs hu ro el tr ar he hi th vi id bn ka kk be'.split(' '),
);
