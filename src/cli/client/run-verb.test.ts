import { expect, onTestFinished, test, vi } from 'vitest';
import { runVerb } from './run-verb.ts';

/** Runs a command without a service. Returns its exit code and what it writes to stderr. */
async function run(...words: string[]): Promise<{ code: number | null; text: string }> {
  const lines: string[] = [];
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0);
  onTestFinished(() => spy.mockRestore());
  const code = await runVerb([...words, '--url', 'http://127.0.0.1:1', '--key', 'key', '--library', '1']);
  return { code, text: lines.join('') };
}

test.each([
  ['upload', [], 'expected FILE..., got no argument.\nUsage: millrace upload FILE...\n'],
  ['get', [], 'expected VIDEO_ID, got no argument.\nUsage: millrace get VIDEO_ID\n'],
  ['get', ['a', 'b'], 'expected VIDEO_ID, got a b.\nUsage: millrace get VIDEO_ID\n'],
  ['export', ['a', 'b'], 'expected [DESTINATION], got a b.\nUsage: millrace export [DESTINATION]\n'],
])('prints the usage for wrong arguments: %s %s', async (verb, args, expected) => {
  const { code, text } = await run(verb, ...args);
  expect([code, text]).toEqual([2, `millrace ${verb}: ${expected}Run millrace ${verb} --help for all options.\n`]);
});

test.each([
  ['--titel', 'Did you mean --title?'],
  ['--titel=A film', 'Did you mean --title?'],
  ['--no-wiat', 'Did you mean --no-wait?'],
  ['--qqqqqqq', 'there is no option --qqqqqqq. Run'],
])('suggests the option that is nearest to %s', async (option, expected) => {
  expect(await run('upload', 'film.mp4', option)).toMatchObject({ code: 2, text: expect.stringContaining(expected) });
});

test.each([
  ['ls', ['status=finishd'], 'Did you mean finished?'],
  ['ls', ['serch=x'], 'unknown parameter serch. Did you mean search?'],
  ['clip', ['id', '0', '1', 'titel=x'], 'unknown field titel. Did you mean title?'],
  ['upload', ['film.mp4', 'title=x'], 'unknown field title. Did you mean --title?'],
  ['upload', ['film.mp4', 'visibility=private'], 'unknown field visibility. Did you mean --visibility?'],
  ['upload', ['film.mp4', '--visibility', 'secret'], 'expected --visibility to be public, unlisted or private, got'],
  ['ls', ['--visibility', 'private'], '--visibility is only for upload. Did you mean visibility=private?'],
  ['clip', ['id', '0', '1', 'visibility=private'], 'unknown field visibility. A file'],
  ['upload', ['film.mp4', 'qqqq=x'], 'unknown field qqqq. A file of this name is written as ./qqqq='],
  ['import', ['buny'], 'got buny. Did you mean bunny?'],
  ['import', [], 'got no source.\n  import bunny sourceLibraryId= accountKey=|accessKey= [apiUrl=]'],
])('suggests the right name: %s %s', async (verb, args, expected) => {
  expect(await run(verb, ...args)).toMatchObject({ code: 2, text: expect.stringContaining(expected) });
});
