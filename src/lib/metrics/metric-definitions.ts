export type MetricType = 'counter' | 'gauge' | 'histogram';

/** A metric family. `buckets` are the upper bounds of a histogram. */
export type MetricDefinition<Type extends MetricType = MetricType, Label extends string = string> = {
  type: Type;
  name: string;
  help: string;
  labels: readonly Label[];
  buckets?: readonly number[];
};

const define =
  <const Type extends MetricType>(type: Type, buckets?: readonly number[]) =>
  <const Label extends string = never>(
    name: string,
    help: string,
    labels: readonly Label[] = [],
  ): MetricDefinition<Type, Label> => ({ type, name, help, labels, ...(buckets !== undefined && { buckets }) });

const counter = define('counter');
const gauge = define('gauge');
/** Times of requests and queries. */
const requestTime = define('histogram', [0.002, 0.005, 0.01, 0.025, 0.1, 0.25, 1, 2.5, 10]);
/** Times of background work, up to a long encode. */
const workTime = define('histogram', [0.1, 0.5, 1, 5, 15, 60, 300, 1800, 7200]);

/**
 * Every metric of the service. Values of labels come from fixed sets: operations, kinds, rules and the like. A label
 * never contains a video, a stream, a library, a path or an address, so the number of series is bounded.
 */
export const METRIC_DEFINITIONS = {
  buildInfo: gauge('millrace_build_info', 'Always 1. The labels name the running version.', ['version', 'node']),
  collectErrors: counter('millrace_metrics_collect_errors_total', 'Failed updates of gauges at a scrape.'),
  roleUp: gauge('millrace_role_up', '1 if the role returned its metrics in time, else 0.', ['role']),

  httpRequests: counter('millrace_http_requests_total', 'Responses of the API.', ['operation', 'status_class']),
  httpDuration: requestTime(
    'millrace_http_request_duration_seconds',
    'Time from the request to the end of its response. Event streams are not included.',
    ['operation'],
  ),

  edgeRequests: counter(
    'millrace_edge_requests_total',
    'Responses of the edge. `aborted`: the client disconnected first.',
    ['target', 'status_class'],
  ),
  edgeFirstByte: requestTime(
    'millrace_edge_first_byte_seconds',
    'Time from the request to the first byte of its response. Live playlists wait for the next part.',
    ['target'],
  ),
  edgeSentBytes: counter('millrace_edge_sent_bytes_total', 'Bytes that the edge sent, including headers.'),
  edgeConnections: gauge('millrace_edge_open_connections', 'Open connections of the edge.'),
  edgeCache: counter(
    'millrace_edge_cache_requests_total',
    'Lookups in the caches of the edge. A stale value is returned while a newer one is loaded.',
    ['layer', 'result'],
  ),
  edgeRefusals: counter(
    'millrace_edge_refusals_total',
    'Requests to the edge, and calls of the API without a key, that a rule refused, by rule number.',
    ['rule'],
  ),

  quotaRefusals: counter(
    'millrace_quota_refusals_total',
    'Uploads, publishers and encodes that a hard quota of a library refused or held. For viewers, see the edge.',
    ['resource'],
  ),

  queueTasks: gauge('millrace_queue_tasks', 'Encode tasks in the database, by state.', ['kind', 'state']),
  queueOldest: gauge('millrace_queue_oldest_age_seconds', 'Age of the oldest waiting encode task.', ['kind']),
  taskClaims: counter('millrace_task_claims_total', 'Encode tasks that this worker claimed.', ['kind']),
  taskDuration: workTime('millrace_task_duration_seconds', 'Time from the claim of a task to its end.', ['kind']),
  taskEnds: counter('millrace_task_ends_total', 'Ended attempts of encode tasks, by outcome.', ['kind', 'outcome']),
  taskPostponements: counter('millrace_task_postponements_total', 'Postponed tasks and jobs, by what they wait for.', [
    'kind',
    'reason',
  ]),
  taskFailures: counter('millrace_task_failures_total', 'Failed attempts of encode tasks.', ['kind', 'reason']),
  leaseLosses: counter('millrace_task_lease_losses_total', 'Tasks whose lease this worker lost.', ['kind']),
  jobDuration: workTime('millrace_job_duration_seconds', 'Duration of background jobs.', ['job']),
  jobEnds: counter('millrace_job_ends_total', 'Ended runs of background jobs, by outcome.', ['job', 'outcome']),

  encodeMedia: counter(
    'millrace_encode_media_seconds_total',
    'Seconds of media stored by encoders, over all renditions.',
    ['codec'],
  ),
  encodeBusy: counter(
    'millrace_encode_busy_seconds_total',
    'Running time of encoder processes, by video codec or audio.',
    ['codec'],
  ),
  encodersRunning: gauge('millrace_encoders_running', 'Running encoder processes.', ['codec']),

  livePublishers: gauge('millrace_live_publishers', 'Connected publishers.', ['protocol']),
  livePublishes: counter('millrace_live_publish_attempts_total', 'Attempts to publish, by result.', [
    'protocol',
    'result',
  ]),
  liveReconnects: counter('millrace_live_reconnects_total', 'Publishers that connected to a stream in progress.'),
  liveBytes: counter('millrace_live_ingest_bytes_total', 'Bytes of media received from publishers.', ['protocol']),
  liveDropped: counter('millrace_live_dropped_frames_total', 'Frames from publishers that were not packaged.', [
    'reason',
  ]),
  liveLag: gauge('millrace_live_lag_seconds', 'Longest time since the last media of a connected publisher.'),
  liveOwned: gauge('millrace_live_owned_streams', 'Live streams that this process owns.'),
  liveRelays: gauge('millrace_live_relays', 'Relays to other servers, by state.', ['state']),
  liveViewers: gauge('millrace_live_viewers', 'Viewers of live streams at this edge.'),

  storageDuration: requestTime('millrace_storage_request_duration_seconds', 'Duration of storage requests.', [
    'operation',
  ]),
  storageErrors: counter('millrace_storage_errors_total', 'Failed storage requests.', ['operation']),
  storageUp: gauge('millrace_storage_up', '1 if the last check of the object store succeeded, else 0.'),
  storageFree: gauge('millrace_storage_free_bytes', 'Free bytes of the object store. Absent for S3.'),

  databaseUp: gauge('millrace_database_up', '1 if the last check of the database succeeded, else 0.'),
  databaseConnections: gauge('millrace_database_pool_connections', 'Connections in the pool of this role.', ['state']),
  databaseWaiting: gauge('millrace_database_pool_waiting', 'Queries that wait for a connection of the pool.'),
  databaseDuration: requestTime('millrace_database_query_duration_seconds', 'Duration of database queries.'),
  databaseErrors: counter(
    'millrace_database_errors_total',
    'Failed queries, by the class of their SQLSTATE, or `connection`.',
    ['class'],
  ),

  webhookAttempts: counter('millrace_webhook_attempts_total', 'Attempts to deliver webhooks, by outcome.', ['outcome']),
  notificationAttempts: counter(
    'millrace_notification_attempts_total',
    'Attempts to send notifications to chats and by e-mail, by channel and outcome.',
    ['channel', 'outcome'],
  ),
  webhookDuration: requestTime('millrace_webhook_duration_seconds', 'Duration of attempts to deliver webhooks.'),

  speechMedia: counter('millrace_speech_media_seconds_total', 'Seconds of audio that were transcribed.'),
  speechBusy: counter('millrace_speech_busy_seconds_total', 'Time spent in the speech engine.'),
  speechErrors: counter('millrace_speech_errors_total', 'Spans that the speech engine could not transcribe.'),

  processCpu: counter('process_cpu_seconds_total', 'User and system CPU time of the process.'),
  processMemory: gauge('process_resident_memory_bytes', 'Resident memory of the process.'),
  processFiles: gauge('process_open_fds', 'Open file descriptors of the process.'),
  processStart: gauge('process_start_time_seconds', 'Start of the process, in seconds since 1970.'),
  eventLoopLag: gauge('millrace_event_loop_lag_seconds', 'Delay of the event loop since the last scrape.', [
    'quantile',
  ]),
} as const;
