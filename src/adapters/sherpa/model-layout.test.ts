import { expect, test } from 'vitest';
import { languagesOf, recogniseModel } from './model-layout.ts';

const ICEFALL = '<blk> 0\n<sos/eos> 1\nS 3\n';
const NEMO = '<unk> 0\n▁t 1\n<blk> 1024\n';

test.each([
  {
    name: 'sherpa-onnx-whisper-tiny.en',
    files: ['tiny.en-decoder.int8.onnx', 'tiny.en-decoder.onnx', 'tiny.en-encoder.int8.onnx', 'tiny.en-tokens.txt'],
    tokens: 'IQ== 0\n',
    kind: 'whisper',
    languages: ['en'],
  },
  {
    name: 'sherpa-onnx-whisper-small',
    files: ['small-decoder.onnx', 'small-encoder.onnx', 'small-tokens.txt', 'test_wavs'],
    tokens: 'IQ== 0\n',
    kind: 'whisper',
    languages: null,
  },
  {
    name: 'sherpa-onnx-moonshine-tiny-en-int8',
    files: [
      'cached_decode.int8.onnx',
      'encode.int8.onnx',
      'preprocess.onnx',
      'tokens.txt',
      'uncached_decode.int8.onnx',
    ],
    tokens: '<unk> 0\n',
    kind: 'moonshine',
    languages: ['en'],
  },
  {
    name: 'sherpa-onnx-moonshine-base-ja-2026-01-01',
    files: ['decoder_model_merged.ort', 'encoder_model.ort', 'tokens.txt'],
    tokens: '<unk> 0\n',
    kind: 'moonshine-merged',
    languages: ['ja'],
  },
  {
    name: 'sherpa-onnx-zipformer-en-2023-06-26',
    files: [
      'bpe.model',
      'decoder-epoch-99-avg-1.onnx',
      'encoder-epoch-99-avg-1.int8.onnx',
      'encoder-epoch-99-avg-1.onnx',
      'joiner-epoch-99-avg-1.onnx',
      'tokens.txt',
    ],
    tokens: ICEFALL,
    kind: 'zipformer',
    languages: ['en'],
  },
  {
    name: 'sherpa-onnx-nemo-parakeet-tdt-0.6b-v2-int8',
    files: ['decoder.int8.onnx', 'encoder.int8.onnx', 'joiner.int8.onnx', 'tokens.txt'],
    tokens: NEMO,
    kind: 'parakeet',
    languages: ['en'],
  },
  {
    name: 'sherpa-onnx-zipformer-ctc-zh-int8',
    files: ['model.int8.onnx', 'tokens.txt'],
    tokens: ICEFALL,
    kind: 'zipformer-ctc',
    languages: ['zh'],
  },
  {
    name: 'sherpa-onnx-nemo-parakeet_tdt_ctc_110m-en-36000',
    files: ['model.onnx', 'tokens.txt'],
    tokens: NEMO,
    kind: 'parakeet-ctc',
    languages: ['en'],
  },
  {
    name: 'sherpa-onnx-paraformer-zh-2023-03-28',
    files: ['model.int8.onnx', 'model.onnx', 'tokens.txt'],
    tokens: '<blank> 0\n<s> 1\n</s> 2\nand@@ 3\n',
    kind: 'paraformer',
    languages: ['zh'],
  },
  {
    name: 'sherpa-onnx-sense-voice-zh-en-ja-ko-yue-2024-07-17',
    files: ['LICENSE', 'model.int8.onnx', 'model.onnx', 'tokens.txt'],
    tokens: '<unk> 0\n<s> 1\n<|zh|> 24884\n<|en|> 24885\n',
    kind: 'sense-voice',
    languages: ['zh', 'en', 'ja', 'ko'],
  },
])('recognises a $name model by its files', ({ name, files, tokens, kind, languages }) => {
  const layout = recogniseModel(files, () => tokens);
  expect(layout?.kind).toBe(kind);
  const used = Object.entries(layout ?? {}).filter(([part]) => !['kind', 'isEnglish'].includes(part));
  for (const [, file] of used) expect(files).toContain(file);
  if (layout !== null) expect(languagesOf(layout, name)).toEqual(languages);
});

test('prefers 8-bit files to 32-bit files', () => {
  const files = ['model.onnx', 'model.int8.onnx', 'tokens.txt'];
  expect(recogniseModel(files, () => ICEFALL)).toMatchObject({ model: 'model.int8.onnx' });
});

test.each([
  ['no vocabulary', ['model.onnx']],
  ['no model', ['tokens.txt', 'README.md']],
  ['an incomplete transducer', ['encoder.onnx', 'joiner.onnx', 'tokens.txt']],
])('finds no model in a folder with %s', (_, files) => {
  expect(recogniseModel(files, () => ICEFALL)).toBeNull();
});
