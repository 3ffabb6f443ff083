import { execFile } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { describeFirewall } from '../compose/firewall.ts';
import { describeSpeech } from '../compose/speech-models.ts';
import { probeStore, requireStore } from '../compose/storage.ts';
import { findOwnUnknownSettings, readOwnSettings, type Settings } from '../config/settings.ts';
import { hasCode } from '../lib/has-code.ts';
import { Refused } from '../lib/refused.ts';
import { INGEST_TLS, readTlsPair, type TlsPair } from '../lib/tls/read-tls-pair.ts';
import { readVersion } from '../lib/version.ts';
import { sandboxProblem } from '../service/health.ts';
import { examineDatabase, type Finding } from './examine-database.ts';
import { examineUpgrade } from './examine-upgrade.ts';
import { findSandbox } from './find-sandbox.ts';

const TOOL_TIMEOUT_MS = 10_000;
/** Rules of libinjection above the paranoia level that is applied. */
const LIBINJECTION = ['941101', '942101'];

/**
 * `millrace doctor [--upgrade]`: checks the installation and prints the results. Returns exit code 1 if a problem
 * prevents a start, or with `--upgrade` a start next to the running processes.
 */
export async function doctor(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { upgrade: { type: 'boolean' } } });
  const [settings, problems] = readSettingsOrProblems();
  const findings: Finding[] = [
    { isGood: true, what: 'millrace', found: readVersion() },
    { isGood: true, what: 'node', found: process.version },
    await examineTool('ffmpeg', ['-version']),
    await examineTool('ffprobe', ['-version']),
    await examineTool('bwrap', ['--version']),
    await examineSandbox(settings),
    await examineFirewall(),
    ...problems.map((found) => ({ isGood: false, what: 'setting', found })),
    ...findOwnUnknownSettings().map(({ sentence }) => ({ isGood: false, what: 'setting', found: sentence })),
    ...(settings === null
      ? []
      : [
          ...(await examineDatabase(settings)),
          await examineStore(settings),
          await examineDataDir(settings.dataDir),
          ...examineNetwork(settings),
          await examineSpeech(settings),
          ...(values.upgrade === true ? await examineUpgradeOrSay() : []),
        ]),
  ];
  for (const { isGood, what, found } of findings) {
    process.stdout.write(`${isGood ? 'ok     ' : 'PROBLEM'} ${what.padEnd(10)} ${found}\n`);
  }
  return findings.every((finding) => finding.isGood) ? 0 : 1;
}

function readSettingsOrProblems(): [Settings | null, string[]] {
  try {
    return [readOwnSettings(), []];
  } catch (error) {
    if (error instanceof Refused) return [null, error.message.split('\n')];
    throw error;
  }
}

async function examineUpgradeOrSay(): Promise<Finding[]> {
  try {
    return await examineUpgrade();
  } catch (error) {
    return [{ isGood: false, what: 'upgrade', found: error instanceof Error ? error.message : String(error) }];
  }
}

async function examineTool(program: string, args: readonly string[]): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { timeout: TOOL_TIMEOUT_MS });
    return { isGood: true, what: program, found: stdout.split('\n')[0] ?? '' };
  } catch (error) {
    return { isGood: false, what: program, found: error instanceof Error ? error.message : String(error) };
  }
}

async function examineSandbox(settings: Settings | null): Promise<Finding> {
  const level = await findSandbox(settings);
  const problem = sandboxProblem(level);
  return { isGood: problem === null, what: 'sandbox', found: problem === null ? level : `${level}: ${problem}` };
}

/** Reports the rule set in use, and the rules that are not supported. */
async function examineFirewall(): Promise<Finding> {
  try {
    const { rules, missing, isOwn } = await describeFirewall();
    const set = isOwn
      ? 'the built-in small set (Debian has the OWASP core rule set as modsecurity-crs)'
      : 'OWASP core rule set';
    const left = isOwn ? '' : `; not judged: ${[...missing, ...LIBINJECTION].join(', ')} (they need libinjection)`;
    return { isGood: true, what: 'firewall', found: `${set}, ${rules} rules${left}` };
  } catch (error) {
    return { isGood: false, what: 'firewall', found: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Writes, reads and deletes a few bytes in the store. If its folder does not exist yet, the check of the data folder is
 * sufficient.
 */
async function examineStore(settings: Settings): Promise<Finding> {
  const { storage } = settings;
  if (storage.kind === 'file' && !existsSync(storage.folder)) {
    return { isGood: true, what: 'storage', found: `${storage.folder} will be created` };
  }
  try {
    await requireStore(settings);
    const places = await probeStore(settings, AbortSignal.timeout(TOOL_TIMEOUT_MS));
    return {
      isGood: true,
      what: 'storage',
      found: `objects in ${places.join(' and ')} can be written, read and deleted`,
    };
  } catch (error) {
    return { isGood: false, what: 'storage', found: error instanceof Error ? error.message : String(error) };
  }
}

/** Reads the TLS files, and names proxies whose headers are trusted. A network of all addresses is a problem. */
function examineNetwork({ tls, ingestCertificate, trustedProxies }: Settings): Finding[] {
  const findings: Finding[] = tls === null ? [] : [examineTls(() => readTlsPair(tls))];
  if (ingestCertificate !== null) findings.push(examineTls(() => readTlsPair(ingestCertificate, INGEST_TLS)));
  const all = trustedProxies.find((network) => network.endsWith('/0'));
  if (all !== undefined) {
    const found =
      `MILLRACE_TRUSTED_PROXIES: expected the networks of your proxies, got ${all}, with which every client may ` +
      'choose its own address, host and protocol.';
    findings.push({ isGood: false, what: 'proxies', found });
  } else if (trustedProxies.length > 0) {
    findings.push({ isGood: true, what: 'proxies', found: `trusted: ${trustedProxies.join(', ')}` });
  }
  return findings;
}

function examineTls(read: () => TlsPair): Finding {
  try {
    const { expiresAt } = read();
    const isGood = expiresAt.getTime() > Date.now();
    const found = `the certificate ${isGood ? 'is valid until' : 'expired at'} ${expiresAt.toISOString()}`;
    return { isGood, what: 'tls', found: isGood ? found : `${found}. Renew it.` };
  } catch (error) {
    return { isGood: false, what: 'tls', found: error instanceof Error ? error.message : String(error) };
  }
}

/** Reports the speech engine and its missing parts. A missing part does not prevent a start. */
async function examineSpeech(settings: Settings): Promise<Finding> {
  try {
    const { engine, missing } = await describeSpeech(settings);
    const lacks = missing.length === 0 ? '' : `; missing: ${missing.join('; ')}`;
    return { isGood: true, what: 'speech', found: `${engine}${lacks}` };
  } catch (error) {
    return { isGood: false, what: 'speech', found: error instanceof Error ? error.message : String(error) };
  }
}

async function examineDataDir(dataDir: string): Promise<Finding> {
  const nearest = await nearestExisting(dataDir);
  try {
    await access(nearest, constants.W_OK | constants.X_OK);
    const found = nearest === dataDir ? `${dataDir} can be written` : `${dataDir} will be created in ${nearest}`;
    return { isGood: true, what: 'data', found };
  } catch {
    return { isGood: false, what: 'data', found: `${nearest} cannot be written by this user` };
  }
}

async function nearestExisting(path: string): Promise<string> {
  try {
    await stat(path);
    return path;
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return await nearestExisting(dirname(path));
    throw error;
  }
}
