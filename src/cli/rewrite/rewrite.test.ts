import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { rewrite } from './rewrite.ts';

const OLD = 'https://iframe.mediadelivery.net/embed/12345/a';
const NEW = 'https://watch.example.com/embed/1/a';
const OPTIONS = ['--edge', 'https://watch.example.com', '--library', '12345=1'];

let folder: string;
const at = (name: string) => path.join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'millrace-rewrite-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

/** Runs the command. Returns its output. */
async function run(...args: string[]): Promise<{ output: string; notes: string }> {
  const [output, notes] = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
  for (const stream of [output, notes]) stream.mockReturnValue(true).mockClear();
  expect(await rewrite(args)).toBe(0);
  const text = (spy: typeof output) => spy.mock.calls.map(([chunk]) => Buffer.from(chunk).toString('latin1')).join('');
  return { output: text(output), notes: text(notes) };
}

test('prints a diff and changes nothing without --write', async () => {
  writeFileSync(at('page.html'), `<p>\n${OLD}\n`);
  const { output, notes } = await run(folder, ...OPTIONS);
  expect(output).toBe(`--- ${at('page.html')}\n+++ ${at('page.html')}\n@@ -1,2 +1,2 @@\n <p>\n-${OLD}\n+${NEW}\n`);
  expect(notes).toBe('Found 1 URL in 1 file. Run again with --write to change them.\n');
  expect(readFileSync(at('page.html'), 'utf8')).toContain(OLD);
});

test('with --write changes text files, and keeps other bytes, modes, binary files and links', async () => {
  const odd = Buffer.concat([Buffer.from([0xff, 0xe9]), Buffer.from(`${OLD}\r\n\r\nend`)]);
  writeFileSync(at('odd.txt'), odd, { mode: 0o640 });
  writeFileSync(at('picture.bin'), `\0${OLD}`);
  const outside = mkdtempSync(path.join(tmpdir(), 'millrace-outside-'));
  writeFileSync(path.join(outside, 'kept.html'), OLD);
  symlinkSync(outside, at('link'));
  const { output, notes } = await run(folder, ...OPTIONS, '--write');
  expect(output).toBe('');
  expect(notes).toBe('Changed 1 URL in 1 file.\n');
  expect(readFileSync(at('odd.txt'))).toEqual(Buffer.concat([odd.subarray(0, 2), Buffer.from(`${NEW}\r\n\r\nend`)]));
  expect(statSync(at('odd.txt')).mode & 0o777).toBe(0o640);
  expect(readFileSync(at('picture.bin'), 'utf8')).toBe(`\0${OLD}`);
  expect(readFileSync(path.join(outside, 'kept.html'), 'utf8')).toBe(OLD);
  rmSync(outside, { recursive: true });
  expect((await run(folder, ...OPTIONS, '--write')).notes).toBe('Changed 0 URLs in 0 files.\n');
});

test.each([
  {
    format: 'csv',
    map: 'from,to\nhttps://iframe.mediadelivery.net/embed/12345/a,https://watch.example.com/embed/1/a\n',
  },
  {
    format: 'nginx',
    map:
      'map_hash_bucket_size 512;\nmap_hash_max_size 2048;\n' +
      `map "$host$uri" $millrace_address {\n  default "";\n  "${OLD.slice(8)}" "${NEW}";\n}\n`,
  },
  {
    format: 'caddy',
    map: `map "{host}{path}" {millrace_address} {\n  "${OLD.slice(8)}" "${NEW}"\n  default ""\n}\n`,
  },
])('prints each redirect once for $format', async ({ format, map }) => {
  writeFileSync(at('page.html'), `${OLD}\n${OLD}?t=1\n`);
  const { output } = await run(folder, ...OPTIONS, '--redirects', format);
  expect(output).toBe(map);
  expect(readFileSync(at('page.html'), 'utf8')).toContain(OLD);
});

test('names libraries whose ids are kept', async () => {
  writeFileSync(at('page.html'), `${OLD} ${OLD.replace('12345', '99')} ${OLD.replace('12345', '99')}`);
  const { notes } = await run(folder, ...OPTIONS);
  expect(notes).not.toContain('12345');
  expect(notes).toContain('Kept library 99 in 2 URLs. If it has another id now, add --library 99=NEW.');
});

test('names the option that unchanged URLs need', async () => {
  writeFileSync(
    at('page.html'),
    'https://video.bunnycdn.com/library/1 https://vz-1-2.b-cdn.net/x https://vz-1-2.b-cdn.net/y',
  );
  const { notes } = await run(folder, ...OPTIONS);
  expect(notes).toContain('Unchanged: 1 URL of video.bunnycdn.com. Add --api URL and --edge URL.');
  expect(notes).toContain('Unchanged: 2 URLs of vz-1-2.b-cdn.net. Add --host vz-1-2.b-cdn.net=URL.');
});

test.each([
  { args: [], reason: /expected a file or folder, got none/ },
  { args: ['.'], reason: /expected --api URL, --edge URL or --host OLD=URL, got none of them/ },
  { args: ['.', '--edge', 'watch.example.com'], reason: /--edge: expected an http or https URL/ },
  { args: ['.', '--edge', 'https://a.example?x=1'], reason: /--edge: expected .* got "https:\/\/a.example\?x=1"/ },
  { args: ['.', ...OPTIONS, '--library', '1=x'], reason: /--library: expected two whole numbers, got "1=x"/ },
  { args: ['.', ...OPTIONS, '--host', 'cdn.example.com'], reason: /--host: expected OLD=NEW/ },
  { args: ['.', ...OPTIONS, '--redirects', 'apache'], reason: /--redirects: expected csv, nginx, caddy, got "apache"/ },
  { args: ['.', ...OPTIONS, '--redirects', 'csv', '--write'], reason: /expected --write or --redirects, got both/ },
  { args: ['/nonexistent/page.html', ...OPTIONS], reason: /got "\/nonexistent\/page.html": ENOENT/ },
])('refuses $args with the reason', async ({ args, reason }) => {
  await expect(rewrite(args)).rejects.toThrow(reason);
});

test('rewrites serialized strings over several lines, and names compressed and UTF-16 files', async () => {
  const of = (url: string) => `<![CDATA[s:${url.length + 4}:"a\n${url}\nb";]]>\n`;
  writeFileSync(at('export.xml'), `<rss>\n${of(OLD)}`);
  writeFileSync(at('dump.sql.gz'), Buffer.from('1f8b0800', 'hex'));
  writeFileSync(at('notes.txt'), Buffer.from(`\ufeff${OLD}`, 'utf16le'));
  const plan = await run(folder, ...OPTIONS);
  expect(plan.output).toContain(`@@ -1,4 +1,4 @@\n <rss>\n-<![CDATA[s:${OLD.length + 4}:"a\n-${OLD}\n`);
  expect(plan.notes).toContain('dump.sql.gz is compressed (unpack it first) and was skipped.');
  expect(plan.notes).toContain('notes.txt is UTF-16 (convert it to UTF-8) and was skipped.');
  await run(folder, ...OPTIONS, '--write');
  expect(readFileSync(at('export.xml'), 'utf8')).toBe(`<rss>\n${of(NEW)}`);
});
