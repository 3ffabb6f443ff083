import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { currentModelFolder } from '../compose/speech-models.ts';
import { openTranscribers } from '../compose/transcribers.ts';
import { findVoiceDetector } from '../compose/voice-detector.ts';
import { readOwnSettings, type Settings } from '../config/settings.ts';
import { createOutbound } from '../lib/outbound/outbound.ts';
import { Refused } from '../lib/refused.ts';
import { cutSpans, type Span } from '../media/speech/cut-spans.ts';
import { cutVoiceSpans } from '../media/speech/cut-voice-spans.ts';
import { wordErrorRate } from '../media/speech/word-error-rate.ts';
import { NO_ENGINE, SPEECH_SAMPLE_RATE } from '../ports/transcriber.ts';

/** Maximum size of the decoded audio in bytes: one hour. */
const MAX_SAMPLE_BYTES = 3600 * 2 * SPEECH_SAMPLE_RATE;
const DECODE_LIMIT_MS = 10 * 60_000;

type Options = { file?: string | undefined; text?: string | undefined; language?: string | undefined };

/**
 * `millrace speech test`: transcribes a sample with the configured engine. Prints the words, the word error rate if the
 * text is known, and the speed relative to the duration of the audio.
 */
export async function testSpeech({ file, text, language }: Options): Promise<number> {
  const settings = readOwnSettings();
  const sample = file === undefined ? await findSample(settings) : { file, text: text ?? null };
  const samples = await decode(sample.file);
  const outbound = createOutbound({ allow: settings.outboundAllow });
  try {
    const find = await openTranscribers(settings.transcriber, { ...settings, outbound });
    const engine = await find();
    if (engine === null) throw new Refused('invalid', NO_ENGINE);
    process.stdout.write(`Engine    ${engine.name}\nSample    ${sample.file}\n`);
    const beganMs = performance.now();
    const words: string[] = [];
    const signal = new AbortController().signal;
    for await (const span of await spansOf(samples, signal)) {
      const speech = await engine.transcribe(span.samples, { language: language ?? null }, signal);
      words.push(...speech.words.map((word) => word.text));
    }
    const tookSec = (performance.now() - beganMs) / 1000;
    const lengthSec = samples.length / 2 / SPEECH_SAMPLE_RATE;
    process.stdout.write(`Words     ${words.join(' ')}\n`);
    if (sample.text !== null) {
      process.stdout.write(
        `Errors    ${(100 * wordErrorRate(words.join(' '), sample.text)).toFixed(1)} % of the words\n`,
      );
    }
    const speed = lengthSec / tookSec;
    process.stdout.write(`Speed     ${speed.toFixed(1)} times real time, including the start of the engine\n`);
    return 0;
  } finally {
    await outbound.close();
  }
}

async function spansOf(samples: Buffer, signal: AbortSignal): Promise<AsyncIterable<Span>> {
  const audio = (async function* () {
    yield samples;
  })();
  const detection = await (await findVoiceDetector())?.open(signal);
  if (detection === undefined) return cutSpans(audio, SPEECH_SAMPLE_RATE);
  // The detector's process exits with this one.
  return cutVoiceSpans(audio, SPEECH_SAMPLE_RATE, (block, isLast) => detection.feed(block, isLast));
}

/** Finds a sample of the current model. The archives of models contain samples, most of them with their text. */
async function findSample(settings: Settings): Promise<{ file: string; text: string | null }> {
  const model = await currentModelFolder(settings);
  const folder = model === null ? null : join(model, 'test_wavs');
  const [file] =
    folder === null || !existsSync(folder) ? [] : readdirSync(folder).filter((name) => name.endsWith('.wav'));
  if (folder === null || file === undefined) {
    throw new Refused(
      'invalid',
      'expected --file FILE with speech and --text TEXT with its transcript, to measure the error rate.',
    );
  }
  return { file: join(folder, file), text: readText(join(folder, 'trans.txt'), file) };
}

/** Parses lines of `0.wav SPOKEN TEXT`. */
function readText(path: string, name: string): string | null {
  if (!existsSync(path)) return null;
  const line = readFileSync(path, 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${name} `));
  return line?.slice(name.length + 1).trim() ?? null;
}

async function decode(file: string): Promise<Buffer> {
  const audio = ['-vn', '-ac', '1', '-ar', String(SPEECH_SAMPLE_RATE), '-f', 's16le', 'pipe:1'];
  const limits = { encoding: 'buffer' as const, maxBuffer: MAX_SAMPLE_BYTES, timeout: DECODE_LIMIT_MS };
  const protocols = ['-protocol_whitelist', 'file'];
  try {
    const { stdout } = await promisify(execFile)(
      'ffmpeg',
      ['-nostdin', '-v', 'error', ...protocols, '-i', file, ...audio],
      limits,
    );
    return stdout;
  } catch (cause) {
    throw new Refused('invalid', `expected audio of at most an hour, but ${file} could not be decoded.`, { cause });
  }
}
