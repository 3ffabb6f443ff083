#!/usr/bin/env node
// The command line client as a separate package. It has the verbs that call a service, but not the commands of the
// service itself.
import { readFileSync } from 'node:fs';
import { helpLines, unknownCommand } from './manual.ts';
import { runVerb } from './run-verb.ts';

const HELP = ['help', '--help', '-h'];
const USAGE_ERROR = 2;

const [name = 'help', ...args] = process.argv.slice(2);
const isHelp = HELP.includes(name) && args.length === 0;
const words = HELP.includes(name) ? [...args, '--help'] : [name, ...args];
const isVersion = ['version', '--version'].includes(name);
const code = isHelp || isVersion ? 0 : await runVerb(words);
if (isVersion) process.stdout.write(`${readVersion()}\n`);
else if (isHelp) process.stdout.write(`Commands:\n${helpLines()}`);
else if (code === null) process.stderr.write(unknownCommand(words, []));
process.exitCode = code ?? USAGE_ERROR;

/** Returns the version of the package, which has this program in a folder below it. */
function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return String(version);
}
