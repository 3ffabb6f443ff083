import {
  AggregatorRegistry,
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import { METRIC_DEFINITIONS, type MetricDefinition } from './metric-definitions.ts';

type Instrument<Definition> =
  Definition extends MetricDefinition<infer Type, infer Label>
    ? { counter: Counter<Label>; gauge: Gauge<Label>; histogram: Histogram<Label> }[Type]
    : never;

type Metrics = { [Name in keyof typeof METRIC_DEFINITIONS]: Instrument<(typeof METRIC_DEFINITIONS)[Name]> };

/** The metrics of a process, with their values, as they are sent to the supervisor. */
export type MetricFamilies = MetricObjectWithValues<MetricValue<string>>[];

/**
 * Maximum time for the collectors of gauges at a scrape, in ms. If a collector is late, its gauges keep their last
 * values.
 */
const COLLECT_LIMIT_MS = 1_000;

const registry = new Registry();
const collectors = new Set<() => void | Promise<void>>();

/** The metrics of this process. Code records them where the event happens. */
export const metrics = createMetrics();

function createMetrics(): Metrics {
  const all = Object.entries<MetricDefinition>(METRIC_DEFINITIONS).map(([key, definition]) => [
    key,
    create(definition),
  ]);
  // Each key has the instrument of its definition.
  return Object.fromEntries(all) as Metrics;
}

function create({ type, name, help, labels, buckets }: MetricDefinition): Counter | Gauge | Histogram {
  const options = { name, help, labelNames: [...labels], registers: [registry] };
  switch (type) {
    case 'counter':
      return new Counter(options);
    case 'gauge': {
      const gauge = new Gauge(options);
      // prom-client starts a gauge without labels at 0, which a process that never sets it must not report.
      if (labels.length === 0) gauge.remove();
      return gauge;
    }
    case 'histogram':
      return new Histogram({ ...options, ...(buckets !== undefined && { buckets: [...buckets] }) });
  }
}

/** Calls `collect` before each scrape, to set gauges. Call the returned function to stop. */
export function onCollect(collect: () => void | Promise<void>): () => void {
  collectors.add(collect);
  return () => void collectors.delete(collect);
}

/** Adds the label `role` to every metric of this process. */
export function labelMetrics(role: string): void {
  registry.setDefaultLabels({ role });
}

/** Returns all metrics of this process. Waits a bounded time for the collectors of gauges. */
export async function collectMetrics(): Promise<MetricFamilies> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, COLLECT_LIMIT_MS);
  await Promise.race([Promise.all([...collectors].map(runCollector)), late.promise]);
  clearTimeout(timer);
  return await registry.getMetricsAsJSON();
}

/** A failed collector leaves the last values of its gauges. */
async function runCollector(collect: () => void | Promise<void>): Promise<void> {
  try {
    await collect();
  } catch {
    metrics.collectErrors.inc();
  }
}

/** Returns the page of the metrics of one or more processes, in the text format of Prometheus. */
export async function renderMetrics(processes: readonly MetricFamilies[]): Promise<string> {
  return await AggregatorRegistry.aggregate([...processes]).metrics();
}

export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** Returns the label `status_class` of an HTTP status, such as `2xx`. */
export function statusClass(status: number): string {
  return STATUS_CLASSES[Math.trunc(status / 100)] ?? 'other';
}

const STATUS_CLASSES = ['other', '1xx', '2xx', '3xx', '4xx', '5xx'];
