import { METRIC_DEFINITIONS, type MetricDefinition } from '../../src/lib/metrics/metric-definitions.ts';

/** Returns docs/metrics.md, generated from the table of metrics. */
export function metricsPage(): string {
  const families = Object.values<MetricDefinition>(METRIC_DEFINITIONS);
  return `${[
    '# Metrics',
    '<!-- Generated from src/lib/metrics/metric-definitions.ts by: ' +
      'npm test -- test/conformance/documents.test.ts -u -->',
    'Use this page to monitor Millrace with Prometheus. `GET /metrics` returns the metrics of every role in the\n' +
      'text format of Prometheus.',
    table(
      ['Setup', 'Setting', 'Page'],
      [
        ['One process tree (`npm start`)', '`MILLRACE_METRICS_PORT`', 'one page with all roles and the supervisor'],
        ['One role per process (`--role`)', '`MILLRACE_HEALTH_PORT`', 'the page of that role'],
      ],
    ),
    'Both ports listen on `MILLRACE_HOST`. This machine, trusted proxies and the networks in\n' +
      '`MILLRACE_METRICS_ALLOW` may read the page. Other clients get 403.',
    '```yaml\nscrape_configs:\n  - job_name: millrace\n    static_configs:\n      - targets: [127.0.0.1:7791]\n```',
    'Every metric has the label `role`: `api`, `edge`, `worker`, `ingest` or `supervisor`. If a role does not\n' +
      'respond within 3 s, the page of the process tree has `millrace_role_up` 0 for it and lacks the others.\n' +
      'No label contains a video, a stream, a library, a path or an address, so the number of series does not grow\n' +
      'with content or viewers.',
    '`deploy/prometheus/` has alert rules (`alerts.yml`) and a dashboard for Grafana (`dashboard.json`). Import\n' +
      'the dashboard and select your Prometheus as its data source.',
    '## Families',
    table(
      ['Name', 'Type', 'Labels', 'Meaning'],
      families.map(({ name, type, labels, help }) => [
        ...[`\`${name}\``, type, labels.map((label) => `\`${label}\``).join(', '), help],
      ]),
    ),
    'The queue is in the database and the same for all machines. Only `api` reports it. With several machines, use\n' +
      '`max`, not `sum`.',
  ].join('\n\n')}\n`;
}

function table(heads: string[], lines: string[][]): string {
  return [heads, heads.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
