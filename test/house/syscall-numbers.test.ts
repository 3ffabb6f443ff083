import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../scripts/run-program.ts';
import { namedCalls } from '../../src/media/ffmpeg/seccomp-filter.ts';

/** Headers of Linux. On arm64, Linux uses the generic numbers. The header of x86-64 exists only there. */
const TABLES = {
  arm64: '/usr/include/asm-generic/unistd.h',
  x64: '/usr/include/x86_64-linux-gnu/asm/unistd_64.h',
} as const;

/** Returns the numbers in a header. The generic one defines some with a prefix, because 32-bit systems differ. */
function readTable(file: string): Map<string, number> {
  const lines = readFileSync(file, 'utf8').matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)$/gm);
  return new Map(Array.from(lines, ([, name = '', number]) => [name, Number(number)]));
}

test.for(['x64', 'arm64'] as const)(
  'the seccomp filter for %s contains the system call numbers of Linux',
  (arch, { skip }) => {
    skip(!existsSync(TABLES[arch]), `${TABLES[arch]} is not on this machine`);
    const table = readTable(TABLES[arch]);
    const named = namedCalls(arch);
    expect(Object.keys(named).length).toBeGreaterThan(100);
    expect(named).toEqual(Object.fromEntries(Object.keys(named).map((name) => [name, table.get(name) ?? null])));
  },
);

test.for(['x64', 'arm64'] as const)('landlock.pl contains the system call numbers for %s', (arch, { skip }) => {
  skip(!existsSync(TABLES[arch]), `${TABLES[arch]} is not on this machine`);
  const table = readTable(TABLES[arch]);
  const program = readFileSync(join(projectRoot, 'src/media/ffmpeg/landlock.pl'), 'utf8');
  for (const name of ['PRCTL', 'CAPSET']) {
    const list = new RegExp(`^my %${name} = \\((.*)\\);$`, 'm').exec(program)?.[1] ?? '';
    expect(list).toMatch(new RegExp(`\\b${arch} => ${table.get(name.toLowerCase())}\\b`));
  }
  const own = ['create_ruleset', 'add_rule', 'restrict_self'].map((name) => table.get(`landlock_${name}`));
  expect(program).toContain(`= (${own.join(', ')});`);
});
