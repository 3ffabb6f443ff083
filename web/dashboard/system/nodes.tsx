import { useSignal } from '@preact/signals';
import type { Static } from 'typebox';
import type { NodeModel } from '../../../src/api/models/system.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { useLoaded, useRefresh } from '../base/load.ts';
import { amount, bytes, moment } from '../base/words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Check, Panel, Table } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';

type Node = Static<typeof NodeModel>;

const LOOK_AGAIN_MS = 10_000;

/** Running processes of all machines, with version, load and the live streams that each owns. */
export function Nodes() {
  const { value, error, again } = useLoaded<Node[]>('/system/nodes');
  useRefresh(again, LOOK_AGAIN_MS);
  const nodes = value.value ?? [];
  const asked = useSignal<Node | null>(null);
  return (
    <div class="columns">
      <Panel title={t('Nodes')} hint={t('Each process reports every 10 seconds.')}>
        {error.value !== null && <Notice kind="error">{error.value}</Notice>}
        {nodes.length > 0 && (
          <Table
            label={t('Nodes')}
            head={[
              ...[t('Role'), t('Machine'), t('Version'), t('CPU'), t('Memory'), t('Machine load'), t('Last seen')],
              t('Actions'),
            ]}
          >
            {nodes.map((node) => (
              <tr key={node.Id}>
                <th scope="row">{node.Role}</th>
                <td>{node.Host}</td>
                <td>{node.Incompatible ? t('{0}, incompatible', node.Version) : node.Version}</td>
                <td>{percent(node.CpuCores)}</td>
                <td>{bytes(node.MemoryBytes)}</td>
                <td>{t('{0} on {1} cores', amount(node.HostLoad, 1), node.HostCores)}</td>
                <td>{node.Lost ? t('lost since {0}', moment(node.LastSeenAt)) : moment(node.LastSeenAt)}</td>
                <td>
                  {node.Draining && !node.Lost && t('draining')}
                  {!node.Draining && !node.Lost && (
                    <button type="button" onClick={() => (asked.value = node)}>
                      {t('Drain')}
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )}
        <Streams nodes={nodes} />
      </Panel>
      {asked.value !== null && (
        <DrainDialog node={asked.value} onDrained={again} onClose={() => (asked.value = null)} />
      )}
    </div>
  );
}

type DrainProps = { node: Node; onDrained: () => void; onClose: () => void };

/** A drained process must be started again on its machine, so this warns first. */
function DrainDialog({ node, onDrained, onClose }: DrainProps) {
  const draining = useAction();
  const isForced = useSignal(false);
  const drain = async () => {
    const path = `/system/nodes/${node.Id}/drain?force=${isForced.value}`;
    if (!(await draining.run(() => api('POST', path)))) return;
    onDrained();
    onClose();
  };
  return (
    <Dialog title={t('Drain {0} on {1}', node.Role, node.Host)} onClose={onClose}>
      <p>
        {t('The process finishes or returns its work, and exits. It can be started again only on its own machine.')}
      </p>
      {node.Streams.length > 0 && (
        <Check
          label={t('Drain even if no other process can take over its live streams')}
          value={isForced.value}
          onChange={(isOn) => (isForced.value = isOn)}
        />
      )}
      {draining.error.value !== null && <Notice kind="error">{draining.error.value}</Notice>}
      <div class="row end">
        <button type="button" class="primary" disabled={draining.isBusy.value} onClick={() => void drain()}>
          {t('Drain')}
        </button>
      </div>
    </Dialog>
  );
}

function Streams({ nodes }: { nodes: readonly Node[] }) {
  const lines = nodes.flatMap(({ Host: host, Streams }) => Streams.map((stream) => ({ host, stream })));
  if (lines.length === 0) return null;
  return (
    <ul class="rows">
      {lines.map(({ host, stream }) => (
        <li key={stream.StreamId}>
          <span>{stream.Title}</span>
          <span class="hint">{t('on {0}: {1}', host, publisherOf(stream.Publisher))}</span>
        </li>
      ))}
    </ul>
  );
}

function publisherOf(publisher: Node['Streams'][number]['Publisher']): string {
  if (publisher === null) return t('no publisher');
  return publisher === 'primary' ? t('primary publisher') : t('backup publisher');
}

function percent(cores: number): string {
  return `${amount(100 * cores, 1)}\u00a0%`;
}
