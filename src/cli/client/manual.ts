import { closest, distance } from 'fastest-levenshtein';
import type { OperationName } from '../../../sdk/src/millrace.ts';
import { operations } from '../../../sdk/src/operations.table.ts';
import { options } from './context.ts';
import { type Reached, type Verb, verbs } from './verbs.table.ts';

/**
 * Operations that only `api` can call, with the reason why that is sufficient. If the compiler reports a missing
 * operation here, add a verb for it to `verbs.table.ts`.
 */
const leftToApi: Readonly<Record<Exclude<OperationName, Reached>, string>> = {
  getFairPlayCertificate: 'players call it',
  askFairPlayLicence: 'players call it',
  askFairPlayLicenceByPath: 'players call it',
  askWidevineLicence: 'players call it',
  readFeed: 'readers of feeds call it at the URL that `feeds get` shows',
  resetApiKeyByQuery: '`keys reset` does the same',
  resetReadOnlyApiKeyByQuery: '`keys reset-read-only` does the same',
};

/** Sections of docs/cli.md, with the first words of their commands. Other commands are in the section Videos. */
const SECTIONS: readonly [title: string, words: readonly string[]][] = [
  ['Profiles and raw requests', ['login', 'logout', 'api', 'completion']],
  ['Videos', []],
  ['Captions, audio tracks and trash', ['captions', 'audio', 'trash', 'bulk']],
  ['Import and export', ['import', 'imports', 'export', 'exports', 'settings', 'extras']],
  ['Collections, feeds, share pages and comments', ['collections', 'feeds', 'shares', 'comments']],
  ['Live streams', ['live']],
  ['Statistics', ['stats', 'audience', 'audience-csv', 'quality', 'usage', 'heatmap', 'play-heatmap', 'traffic']],
  ['Libraries, keys, quotas and viewer access', ['libraries', 'keys', 'quotas', 'viewers']],
  ['People and the audit log', ['people', 'audit']],
  ['Webhooks and chats', ['webhooks', 'endpoints', 'chat']],
  ['Pull zones and the event log', ['zones', 'shield', 'storage']],
  ['Service and account', ['system', 'nodes', 'health', 'user', 'billing', 'countries', 'regions']],
];

const EXIT_CODES = [
  '0: done',
  '1: the request was refused, or a file is unreadable',
  '2: the arguments are wrong',
  '3: the key is wrong or has no permission',
  '4: not found',
  '5: the service is unreachable or temporarily unavailable; try again',
  '6: a file of several could not be uploaded, or a video could not be encoded, imported or exported',
  '130: interrupted with Ctrl-C',
];

/** Returns one line per verb. */
export function helpLines(): string {
  return verbs.map((verb) => `  ${usage(verb).padEnd(52)} ${verb.does}\n`).join('');
}

/**
 * Returns the text for words that are not a command: the commands of a group such as `captions`, or the command with
 * the most similar name. `commands` are the commands that the program has in addition to the verbs.
 */
export function unknownCommand([name = '', second]: readonly string[], commands: readonly string[]): string {
  const group = verbs.filter(({ words }) => words.startsWith(`${name} `));
  if (group.length > 0) {
    const problem =
      second === undefined || second.startsWith('-')
        ? `${name} needs a second word.`
        : `there is no command ${name} ${second}.`;
    const lines = group.map((verb) => `  ${usage(verb).padEnd(52)} ${verb.does}\n`);
    return `millrace: ${problem} Use one of these:\n${lines.join('')}`;
  }
  const near = closest(name, [...commands, ...verbs.map(({ words }) => words.split(' ')[0] ?? words)]);
  const hint = distance(name, near) <= Math.max(1, name.length / 3) ? ` Did you mean ${near}?` : '';
  return `millrace: there is no command ${name}.${hint} Run millrace help for a list.\n`;
}

export function verbHelp(verb: Verb): string {
  const named = Object.entries(options).map(
    ([name, { type, help }]) => `  --${name}${type === 'string' ? ' X' : ''}: ${help}`,
  );
  return [`${usage(verb)}: ${verb.does}`, ...named].join('\n');
}

/** Returns a bash function that completes verbs, their second words and options. */
export function bashCompletion(): string {
  const words = [...new Set(verbs.map((verb) => verb.words.split(' ')[0]))].join(' ');
  const groups = new Map<string, string[]>();
  for (const [first = '', second] of verbs.map((verb) => verb.words.split(' '))) {
    if (second !== undefined) groups.set(first, [...(groups.get(first) ?? []), second]);
  }
  const cases = [...groups].map(([first, all]) => `    ${first}) words="${all.join(' ')}";;`);
  const flags = Object.keys(options).map((name) => `--${name}`);
  return `_millrace() {
  local words="" word="\${COMP_WORDS[COMP_CWORD]}"
  if [[ $word == -* ]]; then words="${flags.join(' ')}"
  elif [[ $COMP_CWORD == 1 ]]; then words="${words}"
  elif [[ $COMP_CWORD == 2 ]]; then case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _millrace millrace`;
}

/** Returns the content of docs/cli.md. */
export function cliPage(): string {
  const flags = Object.entries(options).map(([name, { help }]) => `- \`--${name}\`: ${help}`);
  const left = Object.entries(leftToApi).map(([name, reason]) => `- ${name}: ${reason}`);
  return `${[
    '# Command line',
    '<!-- Generated from src/cli/client/verbs.table.ts by: npm test -- test/conformance/documents.test.ts -u -->',
    ...introduction(),
    ...SECTIONS.flatMap(([title]) => [`## ${title}`, tableOf(title)]),
    '## Commands that need the account key',
    'All other commands also accept a key of the library, `export` only without a destination. To use both keys,\n' +
      'save this one with `millrace login --profile account`, and add `--profile account` to these commands:',
    accountCommands(),
    '## Options',
    flags.join('\n'),
    '## Exit codes',
    EXIT_CODES.map((line) => `- ${line}`).join('\n'),
    '## Operations without a command',
    'Call these operations with `millrace api METHOD PATH`.',
    left.join('\n'),
    '`upload` and `replace` use resumable uploads (`/tusupload`).',
  ].join('\n\n')}\n`;
}

function introduction(): string[] {
  return [
    'Use this page to manage videos from a terminal or a script.',
    '```sh\n' +
      'millrace login               # asks for the library key, and saves it; --url for another machine\n' +
      'millrace upload film.mp4     # waits until the video plays, and prints its id\n' +
      'millrace edit VIDEO_ID title="My film"\n```',
    'In a clone, write `node bin/millrace.js` instead of `millrace`. For another machine, pack the command line in\n' +
      'the clone, after the first `npm start`. The package needs only Node 20.19 or newer:',
    '```sh\n' +
      'cd cli && npm pack                              # in the clone\n' +
      'npm install --global ./millrace-cli-*.tgz       # on the other machine\n```',
    'Commands read URL and key from `--url` and `--key`, from a profile that `login` saved, or from the settings\n' +
      'of a service on this machine (`MILLRACE_LIBRARY_KEY`). Profiles are stored in\n' +
      '`~/.config/millrace/profiles.json`, which only you can read. `logout` removes them. A stored key is\n' +
      'only sent to its own service, unless you pass `--profile`. `millrace help` lists the commands of the service\n' +
      'itself, such as `serve` and `doctor`.',
    'Pass parameters and body fields as `name=text` or `name:=json`. The texts `true`, `false` and `null` are\n' +
      'sent as JSON values. `docs/openapi.json` lists the field names. A list prints one line per item, with\n' +
      'tabs between id, name and state. `--json` prints one JSON object per line. Progress is shown only in a\n' +
      'terminal.',
  ];
}

/** Returns the table with the commands of a section. */
function tableOf(title: string): string {
  const rows = verbs
    .filter((verb) => sectionOf(verb) === title)
    .map((verb) => `| \`${usage(verb)}\` | ${escaped(verb.does)} | ${escaped(reached(verb))} |`);
  return `| Command | Purpose | API operations |\n|---|---|---|\n${rows.join('\n')}`;
}

function sectionOf(verb: Verb): string {
  return SECTIONS.find(([, known]) => known.includes(firstWord(verb)))?.[0] ?? 'Videos';
}

function firstWord({ words }: Verb): string {
  return words.split(' ')[0] ?? words;
}

/** Returns the commands that need the account key. `zones …` means all commands of that group. */
function accountCommands(): string {
  const names = [...new Set(verbs.map(firstWord))].flatMap((first) => {
    const group = verbs.filter((verb) => firstWord(verb) === first);
    const needing = group.filter(needsAccountKey).map(({ words }) => words);
    return needing.length === group.length && group.length > 1 ? [`${first} …`] : needing;
  });
  return names.map((name) => `\`${name}\``).join(', ');
}

/** Returns whether the first operation of a command accepts only the account key. */
export function needsAccountKey(verb: Verb): boolean {
  const [name] = 'call' in verb ? [verb.call] : verb.uses;
  return name !== undefined && 'key' in operations[name];
}

/** Returns a verb with the names of its arguments, the optional ones in brackets. */
export function usage({ words, takes }: Verb): string {
  return ['millrace', words, ...takes.map(argumentName)].join(' ');
}

/** Returns the name of an argument for people: `VIDEO_ID` for `videoId`, `[SOURCE...]` for `source?...`. */
export function argumentName(name: string): string {
  const words = name.replace('?', '').replace(/[A-Z]/g, '_$&').toUpperCase();
  return name.includes('?') ? `[${words}]` : words;
}

function reached(verb: Verb): string {
  return 'call' in verb ? verb.call : verb.uses.join(', ');
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
