import { type AppliedStep, pendingSteps, readAppliedSteps } from '../catalog/migrate-store.ts';
import { loadNodes, type NodeLine } from '../catalog/system/node-store.ts';
import { isAtLeast, readVersion } from '../lib/version.ts';
import type { Finding } from './examine-database.ts';
import { withDatabase } from './with-store.ts';

/** State of an installation before an upgrade. `pending`: the migrations that the new version would run. */
type Upgrade = {
  version: string;
  applied: readonly AppliedStep[];
  pending: readonly { name: string; oldestVersion: string }[];
  nodes: readonly NodeLine[];
};

/**
 * Examines whether this version may start next to the processes that run now. Throws `Refused` (`unavailable`) if the
 * database does not respond. Changes nothing.
 */
export async function examineUpgrade(): Promise<Finding[]> {
  const findings: Finding[] = [];
  await withDatabase(async ({ db }) => {
    const applied = await readAppliedSteps(db);
    const hasNodes = applied.some(({ name }) => name >= '006-compatibility');
    const nodes = hasNodes ? await loadNodes(db) : [];
    findings.push(...judgeUpgrade({ version: readVersion(), applied, pending: pendingSteps(applied), nodes }));
    return 0;
  });
  return findings;
}

/** Returns one finding for each condition of an upgrade. All are good if old and new processes may run together. */
export function judgeUpgrade({ version, applied, pending, nodes }: Upgrade): Finding[] {
  const running = nodes.filter(({ isLost }) => !isLost);
  return [
    judgeSchema(applied, pending),
    ...running.map((node) => judgeNode(node, version, pending)),
    ...(running.length === 0 ? [good('no process is running')] : []),
    ...nodes.filter(({ isLost }) => isLost).map((node) => good(`${label(node)} is lost and leaves the list by itself`)),
    ...judgeStreams(running),
  ];
}

function judgeSchema(applied: Upgrade['applied'], pending: Upgrade['pending']): Finding {
  if (applied.length === 0) return good('the database is empty: there is nothing to upgrade');
  const [latest] = applied.toReversed();
  if (applied.every(({ oldestVersion }) => oldestVersion === null)) {
    return problem(
      `Expected a database that records the oldest version of each migration, got one with ${latest?.name}. Stop all ` +
        'processes, back up, then start the new version.',
    );
  }
  if (pending.length === 0) return good(`the schema needs no migration; its last one is ${latest?.name}`);
  const names = pending.map(({ name, oldestVersion }) => `${name} (works with ${oldestVersion} and newer)`);
  return good(`the first process of this version runs ${names.join(', ')}`);
}

function judgeNode(node: NodeLine, version: string, pending: Upgrade['pending']): Finding {
  const contract = pending.find(({ oldestVersion }) => isAtLeast(node.version, oldestVersion) !== true);
  if (contract !== undefined) {
    return problem(
      `Expected processes of version ${contract.oldestVersion} or newer for the contract step ${contract.name}, got ` +
        `${label(node)} of ${node.version}, which would refuse work after it. Upgrade it to ` +
        `${contract.oldestVersion} first, or drain it.`,
    );
  }
  if (node.isIncompatible) {
    return problem(
      `Expected processes whose version works with the database, got ${label(node)} of ${node.version}, which ` +
        'refuses work. Replace it by a newer version, or drain it.',
    );
  }
  const state = node.isDraining ? ', drains' : '';
  const order = isAtLeast(version, node.version) === true ? '' : ', newer than this version: this is a downgrade';
  return good(`${label(node)} runs ${node.version}${state}${order}`);
}

/** Lists the streams that are live. Their publishers connect again when the ingest process exits. */
function judgeStreams(running: readonly NodeLine[]): Finding[] {
  return running.flatMap((node) =>
    node.streams
      .filter(({ publisher }) => publisher !== null)
      .map(({ streamId, title }) =>
        good(
          `stream ${streamId} (${JSON.stringify(title)}) is live on ${label(node)}: start an ingest of this version ` +
            'before you drain that one; the publisher must connect again',
        ),
      ),
  );
}

function label({ host, role, id }: NodeLine): string {
  return `${host}/${role} (${id})`;
}

function good(found: string): Finding {
  return { isGood: true, what: 'upgrade', found };
}

function problem(found: string): Finding {
  return { isGood: false, what: 'upgrade', found };
}
