import { Refused } from '../lib/refused.ts';

type Command = { summary: string; run(args: readonly string[]): Promise<number> };

/** Commands of the service. Each loads its code only when it runs, so that `serve` uses little memory. */
const commands: Record<string, Command> = {
  serve: {
    summary: 'run the service, or one role with --role api|edge|ingest|worker',
    run: async (args) => await (await import('./serve.ts')).serve(args),
  },
  build: {
    summary: 'bundle the pages before the first start, for container images',
    run: async () => await (await import('./build.ts')).build(),
  },
  doctor: {
    summary: 'check the installation and the settings; with --upgrade, also the running processes',
    run: async (args) => await (await import('./doctor.ts')).doctor(args),
  },
  ready: {
    summary: 'exit with code 0 if the service on this machine is ready, for health checks',
    run: async () => await (await import('./ready.ts')).ready(),
  },
  drain: {
    summary: 'let a process finish or return its work and exit: drain NODE [--force]',
    run: async (args) => await (await import('./drain.ts')).drain(args),
  },
  store: {
    summary: 'confirm that store and database belong together: store adopt',
    run: async (args) => await (await import('./store.ts')).store(args),
  },
  secret: {
    summary:
      'replace the key that seals secrets while the service runs: ' +
      'secret rotate [--new-key-file FILE] [--without-backup], secret status',
    run: async (args) => await (await import('./secret.ts')).secret(args),
  },
  backup: {
    summary: 'copy the database and store of a running service into a folder: backup FOLDER',
    run: async (args) => await (await import('./backup/backup.ts')).backup(args),
  },
  restore: {
    summary: 'restore a backup into an empty data folder, before the first start: restore [--skip-damaged] FOLDER',
    run: async (args) => await (await import('./backup/restore.ts')).restore(args),
  },
  verify: {
    summary: 'verify a backup without restoring it: verify FOLDER',
    run: async (args) => await (await import('./backup/verify.ts')).verify(args),
  },
  orphans: {
    summary:
      'list, delete or keep objects without a database row: orphans list [PREFIX], ' +
      'orphans delete|keep PREFIX|--all',
    run: async (args) => await (await import('./orphans.ts')).orphans(args),
  },
  rewrite: {
    summary:
      'replace URLs of the hosted service in files: rewrite PATH... [--api URL] [--edge URL] [--host OLD=URL] ' +
      '[--library OLD=NEW] [--write | --redirects csv|nginx|caddy]',
    run: async (args) => await (await import('./rewrite/rewrite.ts')).rewrite(args),
  },
  speech: {
    summary:
      'manage speech recognition models: speech list, speech add NAME [--from FILE] [--sha256 HEX], speech test, ' +
      'speech doctor',
    run: async (args) => await (await import('./speech.ts')).speech(args),
  },
  version: {
    summary: 'print the version; with --json, also commit, schema, sandbox, ffmpeg and architecture',
    run: async (args) => await (await import('./version.ts')).version(args),
  },
  mcp: {
    summary:
      'serve the API as tools of the Model Context Protocol: ' +
      'mcp [--url URL] [--key KEY] [--read-only] [--tools A,B] [--port PORT]',
    run: async (args) => await (await import('./mcp/mcp.ts')).mcp(args),
  },
  openapi: {
    summary: 'print the API as an OpenAPI document',
    run: async () => (await import('./openapi.ts')).printOpenApi(),
  },
};

const HELP = ['help', '--help', '-h'];

/** Exit code for an unknown command or wrong arguments, as for the verbs that call a service. */
const USAGE_ERROR = 2;

/** Runs a command and returns its exit code. */
export async function main([word = 'help', ...args]: readonly string[]): Promise<number> {
  const name = word === '--version' ? 'version' : word;
  if (HELP.includes(name) && args[0] !== undefined) return await main([...args, '--help']);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return await runClient(name, args);
  if (args.some((arg) => arg === '--help' || arg === '-h')) {
    process.stdout.write(`millrace ${name}: ${command.summary}\n`);
    return 0;
  }
  try {
    return await command.run(args);
  } catch (error) {
    if (!(error instanceof Refused) && !isUsageError(error)) throw error;
    process.stderr.write(`millrace ${name}: ${error.message}\n`);
    return isUsageError(error) ? USAGE_ERROR : 1;
  }
}

/** Runs a verb that calls a service. Prints the usage if the word is not a verb. */
async function runClient(name: string, args: readonly string[]): Promise<number> {
  const { runVerb } = await import('./client/run-verb.ts');
  return (await runVerb([name, ...args])) ?? (await explain([name, ...args]));
}

async function explain(words: readonly [string, ...string[]]): Promise<number> {
  const { helpLines, unknownCommand } = await import('./client/manual.ts');
  if (!HELP.includes(words[0])) {
    process.stderr.write(unknownCommand(words, Object.keys(commands)));
    return USAGE_ERROR;
  }
  const lines = Object.entries(commands).map(([key, { summary }]) => `  millrace ${key.padEnd(8)} ${summary}\n`);
  process.stdout.write(
    `Commands of the service:\n${lines.join('')}Commands that call a service (docs/cli.md):\n${helpLines()}`,
  );
  return 0;
}

/** Returns whether parseArgs from node:util rejected the arguments. */
function isUsageError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
}
