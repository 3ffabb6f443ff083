import { writeFileSync } from 'node:fs';
import { runVerb } from '../../src/cli/client/run-verb.ts';
import { verbs } from '../../src/cli/client/verbs.table.ts';

// Runs every verb that exits on its own in the current terminal, with unknown ids. Arguments: the file to write the
// exit codes to, and a file to pass to verbs that take one.
const [report = '', given = ''] = process.argv.slice(2);
/** Verbs that prompt for a key, remove the profile of the others, wait for a video to play, or follow events. */
const ELSEWHERE = ['login', 'logout', 'upload', 'progress', 'events'];
const NOBODY = '0192f000-0000-7000-8000-00000000dead';
const ARGUMENTS: Readonly<Record<string, string>> = {
  ...{ id: '999999999', shieldZoneId: '999999999', pullZoneId: '999999999' },
  ...{ file: given, picture: given, from: '0', to: '1', method: 'GET', path: '/library/1/videos', srclang: 'en' },
};

const codes: Record<string, number | string | null> = {};
for (const { words, takes } of verbs) {
  if (ELSEWHERE.includes(words)) continue;
  const args = takes.filter((name) => !name.endsWith('?')).map((name) => ARGUMENTS[name] ?? NOBODY);
  codes[words] = await runVerb([...words.split(' '), ...args]).catch((error: unknown) => String(error));
}
writeFileSync(report, JSON.stringify(codes));
process.stdout.write(`\n${Object.keys(codes).length} verbs ran\n`);
