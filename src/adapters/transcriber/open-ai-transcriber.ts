import type { Outbound } from '../../lib/outbound/outbound.ts';
import { shareTime } from '../../lib/share-time.ts';
import { toWav } from '../../lib/wav.ts';
import { SPEECH_SAMPLE_RATE, type Speech, type SpokenWord, type Transcriber } from '../../ports/transcriber.ts';
import { engineUrl, parseAnswer, postToEngine } from '../engine-request.ts';

const NAME = 'The transcription service';
const MAX_ANSWER_BYTES = 4 * 2 ** 20;
const LIMIT_MS = 5 * 60_000;

/** `limitMs` is the time limit of a span, from the request to the last byte of the response. Default: five minutes. */
type OpenAiOptions = { baseUrl: string; model: string; key: string | null; outbound: Outbound; limitMs?: number };

/**
 * Client of a service that accepts `POST …/audio/transcriptions` like OpenAI's, with `verbose_json` and word times if
 * available.
 */
export function createOpenAiTranscriber({
  baseUrl,
  model,
  key,
  outbound,
  limitMs = LIMIT_MS,
}: OpenAiOptions): Transcriber {
  const url = engineUrl(baseUrl, 'audio/transcriptions');
  const engine = { name: NAME, setting: 'MILLRACE_TRANSCRIBER', url, key, outbound };
  return {
    name: new URL(url).host,
    languages: null,
    isLocal: false,
    async transcribe(samples, { language }, signal) {
      const form = new FormData();
      form.set(
        'file',
        new Blob([new Uint8Array(toWav(samples, SPEECH_SAMPLE_RATE))], { type: 'audio/wav' }),
        'span.wav',
      );
      form.set('model', model);
      form.set('response_format', 'verbose_json');
      form.append('timestamp_granularities[]', 'word');
      form.append('timestamp_granularities[]', 'segment');
      if (language !== null) form.set('language', language);
      const message = new Response(form);
      const body = new Uint8Array(await message.arrayBuffer());
      const contentType = message.headers.get('content-type') ?? '';
      const limits = { maxBytes: MAX_ANSWER_BYTES, limitMs };
      const said = await postToEngine(engine, { body, contentType, ...limits }, signal);
      return readSpeech(said, language);
    },
  };
}

function readSpeech(said: string, wanted: string | null): Speech {
  const answer = parseAnswer(NAME, said);
  const words = listOf(answer.words).flatMap((word) => toWord(word, 'word'));
  const spoken =
    words.length > 0 ? words : listOf(answer.segments).flatMap((segment) => splitSegment(toWord(segment, 'text')));
  return { language: wanted ?? languageCode(answer.language), words: spoken };
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map((item) => ({ ...Object(item) })) : [];
}

function toWord(item: Record<string, unknown>, field: 'word' | 'text'): SpokenWord[] {
  const { start, end, [field]: text } = item;
  const isWord = typeof text === 'string' && Number.isFinite(start) && Number.isFinite(end);
  return isWord ? [{ text: text.trim(), startSec: Number(start), endSec: Number(end) }] : [];
}

/** Splits a segment without word times into words. Its time is divided among them in proportion to their length. */
function splitSegment([segment]: readonly SpokenWord[]): SpokenWord[] {
  if (segment === undefined) return [];
  const texts = segment.text.split(/\s+/).filter((word) => word !== '');
  return shareTime(texts, segment);
}

/** Returns the ISO 639-1 code of a language. Services return a code or an English name. */
function languageCode(language: unknown): string {
  const name = String(language ?? '').toLowerCase();
  if (/^[a-z]{2}$/.test(name)) return name;
  return NAMES.get(name) ?? 'en';
}

const NAMES = new Map(
  'en de fr es it pt nl sv da no fi pl cs sk hu ro bg el tr ru uk he ar hi zh ja ko vi th id'
    .split(' ')
    .map((code) => [String(new Intl.DisplayNames(['en'], { type: 'language' }).of(code)).toLowerCase(), code]),
);
