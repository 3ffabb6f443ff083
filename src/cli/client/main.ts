#!/usr/bin/env node
// The command line client as a separate package. It has the verbs that call a service, but not the commands of the
// service itself.
import { helpLines, unknownCommand } from './manual.ts';
import { runVerb } from './run-verb.ts';

const HELP = ['help', '--help', '-h'];
const USAGE_ERROR = 2;

const [name = 'help', ...args] = process.argv.slice(2);
const isHelp = HELP.includes(name) && args.length === 0;
const words = HELP.includes(name) ? [...args, '--help'] : [name, ...args];
const code = isHelp ? 0 : await runVerb(words);
if (isHelp) process.stdout.write(`Verbs:\n${helpLines()}`);
else if (code === null) process.stderr.write(unknownCommand(words, []));
process.exitCode = code ?? USAGE_ERROR;
