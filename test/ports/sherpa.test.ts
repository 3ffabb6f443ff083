import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listPath, modelFolder } from '../../src/adapters/sherpa/installed-models.ts';
import { readModel } from '../../src/adapters/sherpa/read-model.ts';
import { createSherpaTranscriber } from '../../src/adapters/transcriber/sherpa-transcriber.ts';
import { openTranscribers } from '../../src/compose/transcribers.ts';
import { createOutbound } from '../../src/lib/outbound/outbound.ts';
import { wordErrorRate } from '../../src/media/speech/word-error-rate.ts';
import { EngineCrashed } from '../../src/ports/engine-crashed.ts';
import type { Transcriber } from '../../src/ports/transcriber.ts';
import { makeSamples } from '../support/samples.ts';
import { LIBRIVOX, spokenText } from '../support/speech.ts';
import { writeToneModel } from '../support/tone-model.ts';

const REAL_MODEL = process.env.MILLRACE_TEST_SPEECH_MODEL;
const WAV_HEAD = 44;
const never = new AbortController().signal;

let folder: string;
let child: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-sherpa-'));
  await writeToneModel(path.join(folder, 'tones-en'));
  child = path.join(folder, 'sherpa-child.ts');
  await copyFile(fileURLToPath(new URL('./sherpa-child.ts', import.meta.url)), child);
  process.env.MILLRACE_SECRET_KEY = 'not for the child';
});
afterAll(async () => {
  delete process.env.MILLRACE_SECRET_KEY;
  await rm(folder, { recursive: true, force: true });
});

async function open(program?: string): Promise<Transcriber> {
  const model = await readModel(path.join(folder, 'tones-en'));
  return createSherpaTranscriber({ model, threads: 1, idleMs: 500, ...(program !== undefined && { program }) });
}

const LOW = 'sin(2*PI*500*t)*(between(t,1,1.5)+between(t,3,3.4))';
const HIGH = 'sin(2*PI*3000*t)*between(t,2,2.5)';

test('the sherpa library runs a model in a folder and returns words with their times', async () => {
  const samples = await makeSamples(`aevalsrc='0.4*(${LOW}+${HIGH})':d=4:s=16000`);
  const { language, words } = await (await open()).transcribe(samples, { language: null }, never);
  expect(language).toBe('en');
  expect(words.map(({ text }) => text)).toEqual(['low', 'high', 'low']);
  for (const [index, startSec] of [1, 2, 3].entries()) expect(words[index]?.startSec).toBeCloseTo(startSec, 0);
});

test('uses a new model with the same name without a restart', async () => {
  await writeToneModel(modelFolder(folder, 'own'));
  const add = async (sha256: string, languages: string[]) => {
    const model = { name: 'own', sha256, from: 'own.tar', languages, licence: '', addedAt: '2026-11-23T00:00:00.000Z' };
    await writeFile(listPath(folder), JSON.stringify({ current: 'own', models: [model] }));
  };
  const outbound = createOutbound({ allow: [] });
  const find = await openTranscribers({ kind: 'installed' }, { dataDir: folder, encodeThreads: 1, outbound });
  await add('1'.repeat(64), ['en']);
  const first = await find();
  expect(await find()).toBe(first);
  await add('2'.repeat(64), ['de']);
  expect([first?.languages, (await find())?.languages]).toEqual([['en'], ['de']]);
  await outbound.close();
});

test('returns no words for silence', async () => {
  const { words } = await (await open()).transcribe(Buffer.alloc(64_000), { language: 'en' }, never);
  expect(words).toEqual([]);
});

test('restarts a crashed process, and skips only a span at which it always crashes', async () => {
  const engine = await open(child);
  const say = async (first: number) => {
    const { words } = await engine.transcribe(Buffer.alloc(3_200, first), { language: 'en' }, never);
    return spokenText(words);
  };
  const before = await say(0);
  expect(await say(0)).toBe(before);
  const after = await say(2);
  expect(after).toMatch(/^child \d+$/);
  expect(after).not.toBe(before);
  const crashed: unknown = await say(1).catch((error) => error);
  expect(crashed).toBeInstanceOf(EngineCrashed);
  expect(String(crashed)).toContain('SIGSEGV');
  expect(await say(0)).toMatch(/^child \d+$/);
  await expect(say(3)).rejects.toThrow('no such model');
});

test('ends a process after a period without use', async () => {
  const engine = await open(child);
  const { words } = await engine.transcribe(Buffer.alloc(3_200), { language: 'en' }, never);
  const pid = Number(words[1]?.text);
  expect(pid).toBeGreaterThan(0);
  await expect.poll(() => isAlive(pid), { timeout: 60_000 }).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

test('rejects a folder that is not a model, and reports the expected files', async () => {
  await expect(readModel(folder)).rejects.toThrow('Expected a folder with a Whisper');
  await expect(readModel(path.join(folder, 'absent'))).rejects.toMatchObject({ kind: 'invalid' });
});

test.runIf(REAL_MODEL !== undefined)('a real model transcribes read speech', async () => {
  const engine = createSherpaTranscriber({ model: await readModel(REAL_MODEL ?? ''), threads: 2 });
  for (const { path: file, text } of Object.values(LIBRIVOX)) {
    const samples = (await readFile(file)).subarray(WAV_HEAD);
    const { words } = await engine.transcribe(samples, { language: 'en' }, never);
    const rate = wordErrorRate(spokenText(words), text);
    process.stdout.write(`${engine.name}: word error rate ${rate.toFixed(2)} (${spokenText(words)})\n`);
    expect(rate).toBeLessThanOrEqual(0.3);
  }
});
