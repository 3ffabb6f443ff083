import { expect, test } from 'vitest';
import { METRIC_DEFINITIONS, type MetricDefinition } from './metric-definitions.ts';
import { collectMetrics, labelMetrics, metrics, onCollect, renderMetrics, statusClass } from './metrics.ts';

const families = Object.values<MetricDefinition>(METRIC_DEFINITIONS);

test.each(families)('$name follows the naming conventions and has a description', ({ name, type, help, labels }) => {
  expect(name).toMatch(/^(millrace|process)_[a-z0-9_]+$/);
  expect(name.endsWith('_total')).toBe(type === 'counter');
  if (type === 'histogram') expect(name).toMatch(/_(seconds|bytes)$/);
  expect(name).not.toMatch(/_(ms|milliseconds|kb|mb|minutes|hours|percent)(_|$)/);
  expect(help).toMatch(/^[1-9A-Z].+\.$/);
  expect(labels.filter((label) => !/^[a-z_]+$/.test(label))).toEqual([]);
});

test('no label has a number of values that grows with content or viewers', () => {
  const labels = new Set(families.flatMap((family) => [...family.labels]));
  for (const word of ['video', 'stream', 'library', 'path', 'address', 'url', 'client', 'user', 'key', 'id', 'host']) {
    expect(labels).not.toContain(word);
  }
});

test('the metrics page combines the processes of several roles, even if one collector fails', async () => {
  labelMetrics('edge');
  // Other tests of the same process count requests and errors too.
  metrics.edgeRequests.reset();
  metrics.collectErrors.reset();
  metrics.edgeRequests.inc({ target: 'segment', status_class: statusClass(206) }, 3);
  const stops = [
    onCollect(() => Promise.reject(new Error('The database is down.'))),
    onCollect(() => metrics.edgeConnections.set(7)),
  ];
  const own = await collectMetrics();
  for (const stop of stops) stop();
  const other = structuredClone(own).map((family) => ({
    ...family,
    values: family.values.map((value) => ({ ...value, labels: { ...value.labels, role: 'api' } })),
  }));
  const page = await renderMetrics([own, other]);
  expect(page).toContain('millrace_edge_requests_total{target="segment",status_class="2xx",role="edge"} 3');
  expect(page).toContain('millrace_edge_requests_total{target="segment",status_class="2xx",role="api"} 3');
  expect(page).toContain('millrace_edge_open_connections{role="edge"} 7');
  expect(page.match(/^# TYPE millrace_edge_requests_total counter$/gm)).toHaveLength(1);
  // The error itself is counted after its collector, so the next page shows it.
  expect(await renderMetrics([await collectMetrics()])).toContain(
    'millrace_metrics_collect_errors_total{role="edge"} 1',
  );
});
