import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { Refused } from '../src/lib/refused.ts';
import { listLicences, listShipped } from './licences.ts';
import { projectRoot } from './run-program.ts';

const run = promisify(execFile);
/** Files that contain the version of the project, each with a pattern that matches it. */
export const VERSIONED: Readonly<Record<string, RegExp>> = {
  'package.json': /(?<=^ {2}"version": ").*(?=",$)/m,
  'cli/package.json': /(?<=^ {2}"version": ").*(?=",$)/m,
  'sdk/package.json': /(?<=^ {2}"version": ").*(?=",$)/m,
  'deploy/Containerfile': /(?<=^ARG VERSION=).*$/m,
  'deploy/kubernetes/kustomization.yaml': /(?<=^ {4}newTag: ).*$/m,
  'docs/install.md': /(?<=millrace_)[^_]+(?=_amd64\.deb)/,
  'docs/sdk.md': /(?<=millrace-sdk-).+(?=\.tgz)/,
  'docs/running.md': /(?<="version":")[^"]+/,
};
/** The fields of CycloneDX that are used here. */
type Sbom = {
  metadata: { component: { 'bom-ref': string; name: string } };
  components: { 'bom-ref': string; licenses?: { license: { id?: string; name?: string } }[] }[];
  dependencies: { ref: string; dependsOn: string[] }[];
};
const USAGE = 'release VERSION [--dry-run|--files-only]';
const MAX_OUTPUT_BYTES = 2 ** 26;

/**
 * `npm run release -- VERSION`: sets the version, moves the unreleased changes of CHANGELOG.md to their own section,
 * and writes the packages, the SBOM, the licences and their checksums to `dist/VERSION`. With `--dry-run`, prints this
 * plan and changes nothing. The maintainer must create the tag that starts the publication. With `--files-only`, only
 * writes `dist/VERSION`, for the version in package.json. The publication uses it.
 */
export async function release(args: readonly string[]): Promise<number> {
  const options = { 'dry-run': { type: 'boolean' }, 'files-only': { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [version = '', ...more] = positionals;
  if (!/^\d+\.\d+\.\d+(-[0-9a-z.]+)?$/.test(version) || more.length > 0) {
    const line = ['release', ...positionals].join(' ');
    throw new Refused('invalid', `expected ${USAGE}, such as release 0.2.0, got "${line}".`);
  }
  const folder = join(projectRoot, 'dist', version);
  if (values['files-only'] === true) {
    await requireVersion(version);
    await writeArtefacts(folder);
    process.stdout.write(`Wrote ${folder}.\n`);
    return 0;
  }
  const day = new Date().toISOString().slice(0, 10);
  const log = await readFile(join(projectRoot, 'CHANGELOG.md'), 'utf8');
  const { text, section } = nextChangelog(log, version, day);
  if (values['dry-run'] === true) {
    process.stdout.write(`${describePlan(version)}\nSection of CHANGELOG.md:\n\n${section}`);
    return 0;
  }
  await requireCleanTree();
  for (const name of Object.keys(VERSIONED)) await writeFile(join(projectRoot, name), await withVersion(name, version));
  await setLockVersion(version);
  await writeFile(join(projectRoot, 'CHANGELOG.md'), text);
  await writeArtefacts(folder);
  const publish = `git tag v${version} && git push origin v${version}`;
  process.stdout.write(`Wrote ${folder}. Commit the changes, then: ${publish}\n`);
  return 0;
}

/** Moves the unreleased changes into a section of the version. Throws `Refused` if there are none. */
export function nextChangelog(log: string, version: string, day: string): { text: string; section: string } {
  const parts = /^([\s\S]*## Unreleased\n)([\s\S]*?)(\n## [\s\S]*)?$/.exec(log) ?? [];
  const [, before = '', changes = '', after = ''] = parts;
  if (!changes.includes('\n- ')) {
    throw new Refused('invalid', 'Expected changes below "## Unreleased" in CHANGELOG.md, found none.');
  }
  const section = `## ${version} - ${day}\n${changes.trimEnd()}\n`;
  return { text: `${before}\n${section}${after}`, section };
}

function describePlan(version: string): string {
  return [
    `Version ${version} in ${Object.keys(VERSIONED).join(', ')} and package-lock.json`,
    `dist/${version}/: npm packages of cli and sdk, sbom.cdx.json (CycloneDX), licences.txt, checksums.txt`,
    'Image and Debian package: npm run test:image builds both; the tag publishes both for x64 and arm64',
  ].join('\n');
}

async function requireVersion(version: string): Promise<void> {
  const { version: own } = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8'));
  if (own !== version) throw new Refused('conflict', `expected version ${own}, as in package.json, got ${version}.`);
}

async function requireCleanTree(): Promise<void> {
  const { stdout } = await run('git', ['status', '--porcelain'], { cwd: projectRoot });
  if (stdout !== '') throw new Refused('conflict', `expected a clean working tree, got changes:\n${stdout}`);
}

/** Returns the text of a file of `VERSIONED` with the given version. */
export async function withVersion(name: string, version: string): Promise<string> {
  const [text, pattern] = [await readFile(join(projectRoot, name), 'utf8'), VERSIONED[name]];
  if (pattern === undefined || !pattern.test(text)) throw new Error(`Expected a version in ${name}, found none.`);
  return text.replace(pattern, version);
}

async function setLockVersion(version: string): Promise<void> {
  const file = join(projectRoot, 'package-lock.json');
  const lock = JSON.parse(await readFile(file, 'utf8'));
  lock.version = version;
  lock.packages[''].version = version;
  await writeFile(file, `${JSON.stringify(lock, null, 2)}\n`);
}

/** Writes the packages, the SBOM, the licences and their checksums to a new folder. */
export async function writeArtefacts(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const name of ['cli', 'sdk']) await packTo(folder, join(projectRoot, name));
  await writeFile(join(folder, 'sbom.cdx.json'), await listComponents());
  await writeFile(join(folder, 'licences.txt'), await listLicences());
  const names = (await readdir(folder)).sort();
  const sums = names.map(async (name) => {
    const sum = createHash('sha256')
      .update(await readFile(join(folder, name)))
      .digest('hex');
    return `${sum}  ${name}\n`;
  });
  await writeFile(join(folder, 'checksums.txt'), (await Promise.all(sums)).join(''));
}

/** Packs the npm package in `source`. Its prepack script builds the files, although `.npmrc` disables such scripts. */
async function packTo(folder: string, source: string): Promise<void> {
  const args = ['pack', '--json', '--ignore-scripts=false', '--foreground-scripts=false', '--pack-destination', folder];
  const { stdout } = await run('npm', args, { cwd: source, maxBuffer: MAX_OUTPUT_BYTES });
  const [{ filename, files }]: [{ filename: string; files: { path: string }[] }] = JSON.parse(stdout);
  if (files.some(({ path }) => path === 'dist/millrace.js')) return;
  throw new Error(`Expected dist/millrace.js in ${filename}, got ${files.map(({ path }) => path).join(', ')}.`);
}

/**
 * Returns the SBOM of the packages for all platforms. npm also lists development packages. The option to omit them
 * drops packages that the service shares with them and, without `--package-lock-only`, those of other platforms.
 */
async function listComponents(): Promise<string> {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const { stdout } = await run('npm', args, { cwd: projectRoot, maxBuffer: MAX_OUTPUT_BYTES });
  const shipped = new Map((await listShipped()).map(({ name, version, license }) => [`${name}@${version}`, license]));
  const sbom: Sbom = JSON.parse(stdout);
  const own = sbom.metadata.component;
  const isShipped = (ref: string) => shipped.has(ref) || ref === own['bom-ref'];
  const components = sbom.components
    .filter((component) => isShipped(component['bom-ref']))
    // npm omits licences that are not SPDX identifiers.
    .map((component) => ({ licenses: [{ license: { name: shipped.get(component['bom-ref']) } }], ...component }));
  // npm writes the name of the folder.
  const metadata = { ...sbom.metadata, component: { ...own, name: own['bom-ref'].replace(/@[^@]*$/, '') } };
  const dependencies = sbom.dependencies
    .filter(({ ref }) => isShipped(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isShipped) }));
  return `${JSON.stringify({ ...sbom, metadata, components, dependencies }, null, 2)}\n`;
}
