import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { main } from './main.ts';

const printed = { stdout: '', stderr: '' };

beforeEach(() => {
  for (const name of ['stdout', 'stderr'] as const) {
    printed[name] = '';
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name] += String(text);
      return true;
    });
  }
});

afterEach(() => vi.restoreAllMocks());

test.each([
  ['rewrit', 'millrace: there is no command rewrit. Did you mean rewrite? Run millrace help for a list.\n'],
  ['uplod', 'millrace: there is no command uplod. Did you mean upload? Run millrace help for a list.\n'],
  ['xyzzy', 'millrace: there is no command xyzzy. Run millrace help for a list.\n'],
])('names the most similar command for %s', async (word, message) => {
  expect(await main([word])).toBe(2);
  expect(printed).toEqual({ stdout: '', stderr: message });
});

test.each([
  [['captions'], 'captions needs a second word'],
  [['captions', '--help'], 'captions needs a second word'],
  [['captions', 'lst'], 'there is no command captions lst'],
])('lists the commands of the group for %j', async (words, problem) => {
  expect(await main(words)).toBe(2);
  expect(printed.stderr).toContain(`millrace: ${problem}. Use one of these:\n  millrace captions add VIDEO_ID`);
  expect(printed.stderr).not.toContain('collections');
});

test('exits with 2 for an option that a command does not have', async () => {
  expect(await main(['rewrite', '--nothing'])).toBe(2);
  expect(printed.stderr).toMatch(/^millrace rewrite: Unknown option '--nothing'/);
});

test.each(['serve', 'doctor', 'drain', 'backup'])('prints the usage of %s without running it', async (name) => {
  expect(await main([name, '--help'])).toBe(0);
  expect(printed.stdout).toMatch(new RegExp(`^millrace ${name}: .+\n$`));
  expect(printed.stderr).toBe('');
});
