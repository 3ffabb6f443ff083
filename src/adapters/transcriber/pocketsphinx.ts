import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { toWav } from '../../lib/wav.ts';
import { SPEECH_SAMPLE_RATE, type SpokenWord, type Transcriber } from '../../ports/transcriber.ts';

const LIMIT_MS = 5 * 60_000;
const NICENESS = '15';
const MAX_OUTPUT_BYTES = 2 ** 20;
/**
 * Matches a line of output: `word start end confidence`. Alternative pronunciations of a word have a number, such as
 * `read(2)`.
 */
const LINE = /^(\S+?)(?:\(\d+\))? (\d+\.\d+) (\d+\.\d+) \d/;

/**
 * Transcriber that runs Debian's pocketsphinx, for tests and demonstrations. It supports only English, and its
 * transcripts contain many errors.
 */
export const pocketsphinx: Transcriber = {
  name: 'pocketsphinx (English, for demonstrations)',
  languages: ['en'],
  isLocal: true,
  async transcribe(samples, _, signal) {
    const folder = await mkdtemp(path.join(tmpdir(), 'millrace-speech-'));
    try {
      const file = path.join(folder, 'span.wav');
      await writeFile(file, toWav(samples, SPEECH_SAMPLE_RATE));
      const output = await run(['-infile', file, '-time', 'yes', '-logfn', '/dev/null'], signal);
      return { language: 'en', words: output.split('\n').flatMap(readLine) };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

function run(args: readonly string[], signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const limits = { signal, timeout: LIMIT_MS, killSignal: 'SIGKILL' as const, maxBuffer: MAX_OUTPUT_BYTES };
    // Encoders have a niceness of 10, so they take precedence.
    execFile('nice', ['-n', NICENESS, 'pocketsphinx_continuous', ...args], limits, (error, stdout) => {
      if (error === null) resolve(stdout);
      else
        reject(
          new Error(`Pocketsphinx failed: ${error.message}. Install pocketsphinx and pocketsphinx-en-us.`, {
            cause: error,
          }),
        );
    });
  });
}

/** Parses a line. Returns an empty list for marks of silence and noise, which are in angle or square brackets. */
function readLine(line: string): SpokenWord[] {
  const [, text = '', start, end] = LINE.exec(line) ?? [];
  if (text === '' || /^[<[+]/.test(text)) return [];
  return [{ text, startSec: Number(start), endSec: Number(end) }];
}
