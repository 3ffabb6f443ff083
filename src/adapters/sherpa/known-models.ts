/**
 * A model that is published for sherpa-onnx as `{name}.tar.bz2`. `aboutMb` is the approximate size of the download in
 * MB. `languages` is null if all are supported.
 */
export type KnownModel = { name: string; languages: readonly string[] | null; aboutMb: number; licence: string };

const PARAKEET_LANGUAGES = 'bg hr cs da nl en et fi fr de el hu it lv lt pl pt ro sk sl es sv ru uk mt'.split(' ');

const WHISPER = 'MIT';
const ENGLISH = ['en'];

/** Models that the command line lists. Other published models can also be added by name. */
export const KNOWN_MODELS: readonly KnownModel[] = [
  { name: 'sherpa-onnx-moonshine-tiny-en-int8', languages: ENGLISH, aboutMb: 100, licence: 'MIT' },
  { name: 'sherpa-onnx-moonshine-base-en-int8', languages: ENGLISH, aboutMb: 240, licence: 'MIT' },
  { name: 'sherpa-onnx-whisper-tiny.en', languages: ENGLISH, aboutMb: 120, licence: WHISPER },
  { name: 'sherpa-onnx-whisper-tiny', languages: null, aboutMb: 120, licence: WHISPER },
  { name: 'sherpa-onnx-whisper-base.en', languages: ENGLISH, aboutMb: 210, licence: WHISPER },
  { name: 'sherpa-onnx-whisper-base', languages: null, aboutMb: 210, licence: WHISPER },
  { name: 'sherpa-onnx-whisper-small.en', languages: ENGLISH, aboutMb: 640, licence: WHISPER },
  { name: 'sherpa-onnx-whisper-small', languages: null, aboutMb: 640, licence: WHISPER },
  { name: 'sherpa-onnx-nemo-parakeet-tdt-0.6b-v2-int8', languages: ENGLISH, aboutMb: 480, licence: 'CC-BY-4.0' },
  {
    name: 'sherpa-onnx-nemo-parakeet-tdt-0.6b-v3-int8',
    languages: PARAKEET_LANGUAGES,
    aboutMb: 490,
    licence: 'CC-BY-4.0',
  },
  { name: 'sherpa-onnx-zipformer-en-2023-06-26', languages: ENGLISH, aboutMb: 300, licence: 'Apache-2.0' },
  { name: 'sherpa-onnx-paraformer-zh-2023-03-28', languages: ['zh', 'en'], aboutMb: 950, licence: 'MIT' },
  {
    name: 'sherpa-onnx-sense-voice-zh-en-ja-ko-yue-2024-07-17',
    languages: ['zh', 'en', 'ja', 'ko'],
    aboutMb: 1_000,
    licence: 'FunASR Model Licence',
  },
];
