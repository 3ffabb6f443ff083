import { METRIC_DEFINITIONS, type MetricDefinition } from '../../src/lib/metrics/metric-definitions.ts';

/** Returns docs/metrics.md, generated from the table of metrics. */
export function metricsPage(): string {
  const families = Object.values<MetricDefinition>(METRIC_DEFINITIONS);
  return `${[
    '# Metrics',
    '<!-- Generated from src/lib/metrics/metric-definitions.ts by: ' +
      'npm test -- test/conformance/documents.test.ts -u -->',
    'Use this page to monitor Millrace with Prometheus. `GET /metrics` returns metrics in the Prometheus text\n' +
      'format.',
    table(
      ['Setup', 'Setting', 'Contents'],
      [
        ['All roles on one machine (`npm start`)', '`MILLRACE_METRICS_PORT`', 'all roles and the supervisor'],
        ['One role per service (`--role`)', '`MILLRACE_HEALTH_PORT`', 'that role'],
      ],
    ),
    'Both ports listen on `MILLRACE_HOST`. This machine, trusted proxies and the networks in\n' +
      '`MILLRACE_METRICS_ALLOW` may read the metrics. Other clients get 403.',
    'With `MILLRACE_METRICS_PORT=7791`, configure Prometheus like this:',
    '```yaml\nscrape_configs:\n  - job_name: millrace\n    static_configs:\n      - targets: [127.0.0.1:7791]\n```',
    'Every metric has the label `role`: `api`, `edge`, `worker`, `ingest` or `supervisor`. If a role does not\n' +
      'respond within 3 s, its `millrace_role_up` is 0, and its other metrics are missing.\n' +
      'No label contains a video, stream, library, path or IP address, so the number of series does not grow\n' +
      'with content or viewers.',
    '`deploy/prometheus/` contains alert rules (`alerts.yml`) and a Grafana dashboard (`dashboard.json`).\n' +
      'Import the dashboard and select your Prometheus as its data source.',
    '## Metrics',
    table(
      ['Name', 'Type', 'Labels', 'Meaning'],
      families.map(({ name, type, labels, help }) => [
        ...[`\`${name}\``, type, labels.map((label) => `\`${label}\``).join(', '), help],
      ]),
    ),
    'The `millrace_queue_…` metrics describe the queue in the database, which all machines share. Only `api`\n' +
      'reports them. If several machines run `api`, aggregate them with `max`, not with `sum`.',
  ].join('\n\n')}\n`;
}

function table(heads: string[], lines: string[][]): string {
  return [heads, heads.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
