import { METRICS, type MetricDefinition } from '../../src/lib/metrics/metric-table.ts';

/** Returns docs/metrics.md, generated from the table of metrics. */
export function metricsPage(): string {
  const families = Object.values<MetricDefinition>(METRICS);
  return `${[
    '# Metrics',
    '<!-- Generated from src/lib/metrics/metric-table.ts by: npm test -- test/conformance/documents.test.ts -u -->',
    'Use this page to monitor Millrace with Prometheus. `GET /metrics` returns the metrics of every role in the text\n' +
      'format of Prometheus.',
    table(
      ['Setup', 'Setting', 'Page'],
      [
        ['One process tree (`npm start`)', '`MILLRACE_METRICS_PORT`', 'one page with all roles and the supervisor'],
        ['One role per process (`--role`)', '`MILLRACE_HEALTH_PORT`', 'the page of that role'],
      ],
    ),
    'Both ports listen on `MILLRACE_HOST`. This machine, trusted proxies and the networks in `MILLRACE_METRICS_ALLOW`\n' +
      'may read the page. Other clients get 403.',
    '```yaml\nscrape_configs:\n  - job_name: millrace\n    static_configs:\n      - targets: [127.0.0.1:7791]\n```',
    'Every metric has the label `role`: `api`, `edge`, `worker`, `ingest` or `supervisor`. If a role does not respond\n' +
      'within 3 s, the page of the process tree has `millrace_role_up` 0 for it and lacks its other metrics. No label\n' +
      'contains a video, a stream, a library, a path or an address, so the number of series does not grow with content\n' +
      'or viewers.',
    '`deploy/prometheus/` has alert rules (`alerts.yml`) and a dashboard for Grafana (`dashboard.json`). Import the\n' +
      'dashboard and select your Prometheus as its data source.',
    '## Families',
    table(
      ['Name', 'Type', 'Labels', 'Meaning'],
      families.map(({ name, type, labels, help }) => [
        ...[`\`${name}\``, type, labels.map((label) => `\`${label}\``).join(', '), help],
      ]),
    ),
    'The queue is in the database and the same for all machines. Only `api` reports it. With several machines, use `max`,\n' +
      'not `sum`.',
  ].join('\n\n')}\n`;
}

function table(heads: string[], lines: string[][]): string {
  return [heads, heads.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
