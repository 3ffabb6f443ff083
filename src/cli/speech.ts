import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { addSpeechModel, describeSpeech, listSpeechModels } from '../compose/speech-models.ts';
import { readOwnSettings } from '../config/settings.ts';
import { quote } from '../lib/quote.ts';
import { Refused } from '../lib/refused.ts';
import { testSpeech } from './test-speech.ts';

const PROGRESS_MS = 1_000;
const MB = 1e6;

/** `millrace speech list`, `add NAME`, `test`, `doctor`: manages the speech recognition models on this machine. */
export async function speech(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      from: { type: 'string' },
      address: { type: 'string' },
      sha256: { type: 'string' },
      file: { type: 'string' },
      text: { type: 'string' },
      language: { type: 'string' },
    },
    allowPositionals: true,
  });
  const [verb, name, ...more] = positionals;
  if (verb === 'list' && name === undefined) return await list();
  if (verb === 'add' && name !== undefined && more.length === 0) return await add(name, values);
  if (verb === 'test' && name === undefined) return await testSpeech(values);
  if (verb === 'doctor' && name === undefined) return await doctor();
  throw new Refused(
    'invalid',
    'expected "speech list", "speech add NAME [--from FILE | --address URL] [--sha256 HEX]", "speech test [--file ' +
      `FILE --text TEXT] [--language CODE]" or "speech doctor", got ${quote(['speech', ...positionals].join(' '))}.`,
  );
}

async function list(): Promise<number> {
  const { dataDir } = readOwnSettings();
  const { known, installed } = await listSpeechModels(dataDir);
  const others = installed.models.filter(({ name }) => known.every((each) => each.name !== name));
  const lines = [
    ...known.map(({ name, languages, aboutMb, licence }) => ({
      name,
      languages,
      licence,
      size: `about ${aboutMb} MB`,
    })),
    ...others.map(({ name, languages, licence }) => ({ name, languages, licence, size: '' })),
  ];
  for (const { name, languages, licence, size } of lines) {
    const model = installed.models.find((each) => each.name === name);
    const mark = name === installed.current ? 'in use' : model === undefined ? '' : 'added';
    const spoken = languages === null ? 'all languages' : languages.join(' ');
    process.stdout.write(`${mark.padEnd(7)} ${name.padEnd(52)} ${size.padEnd(14)} ${licence.padEnd(21)} ${spoken}\n`);
  }
  return 0;
}

/** Prints the engine and the language model in use, and missing parts. Returns exit code 1 if any part is missing. */
async function doctor(): Promise<number> {
  const settings = readOwnSettings();
  const { engine, missing } = await describeSpeech(settings);
  const texts =
    settings.languageModel === null
      ? 'extracted from captions; translations need MILLRACE_LANGUAGE_MODEL_URL'
      : `by the language model at ${settings.languageModel.url}`;
  process.stdout.write(`Engine    ${engine}\nTexts     ${texts}\n`);
  for (const each of missing) process.stdout.write(`Missing   ${each}\n`);
  return missing.length === 0 ? 0 : 1;
}

type Source = { from?: string | undefined; address?: string | undefined; sha256?: string | undefined };

async function add(name: string, { from, address, sha256 = '' }: Source): Promise<number> {
  const { dataDir, speechModelsUrl } = readOwnSettings();
  if (from !== undefined && address !== undefined)
    throw new Refused('invalid', 'expected --from or --address, got both.');
  if (!/^([0-9a-f]{64})?$/i.test(sha256))
    throw new Refused('invalid', `expected --sha256 with 64 hexadecimal digits, got ${quote(sha256)}.`);
  const source = from === undefined ? { url: address ?? `${speechModelsUrl}/${name}.tar.bz2` } : { file: from };
  const stopping = new AbortController();
  const stop = () => stopping.abort(new Refused('invalid', 'stopped. Run the same command again to continue.'));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  if ('url' in source) process.stderr.write(`Downloading ${source.url}\n`);
  const request = { dataDir, name, source, sha256: sha256 === '' ? null : sha256 };
  const report = (line: string) => void process.stderr.write(`${line}\n`);
  const added = await addSpeechModel({ ...request, report, onProgress: showProgress() }, stopping.signal);
  const spoken = added.languages === null ? 'all languages' : added.languages.join(', ');
  process.stdout.write(
    `${added.name} is used from now on (${spoken}; licence ${added.licence}) in ${join(dataDir, 'speech')}.\n`,
  );
  process.stdout.write('A running service uses it for the next video. To test it, run: millrace speech test\n');
  return 0;
}

/** Prints at most one line per second. */
function showProgress(): (doneBytes: number, totalBytes: number | null) => void {
  let shownMs = 0;
  return (doneBytes, totalBytes) => {
    const isLast = doneBytes === totalBytes;
    if (!isLast && performance.now() - shownMs < PROGRESS_MS) return;
    shownMs = performance.now();
    const of =
      totalBytes === null
        ? ''
        : ` of ${(totalBytes / MB).toFixed(1)} (${Math.floor((100 * doneBytes) / totalBytes)} %)`;
    process.stderr.write(`${(doneBytes / MB).toFixed(1)}${of} MB\n`);
  };
}
