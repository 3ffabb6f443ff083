import { LOG_PARTS, type LogEvent } from '../../src/lib/log/define-event.ts';
import { LOG_EVENTS } from '../../src/lib/log/events/all.ts';
import { LOG_FIELDS } from '../../src/lib/log/log-fields.ts';

const EXAMPLE = JSON.stringify({
  level: 'info',
  time: '2026-11-26T21:00:00.000Z',
  role: 'worker',
  pid: 42,
  part: 'video',
  event: 'video.finished',
  requestId: '019ac2f0-3b7c-7abc-8def-0123456789ab',
  videoGuid: '019ac2f0-3a11-7abc-8def-0123456789ab',
  libraryId: 1,
  isIncomplete: false,
  msg: 'A video is finished.',
});

const INTRODUCTION = `# Logs

After reading this page you can configure and filter the log, and search it for one event, one video or one request.

Each process writes its log to standard output. Each line is a JSON object:

\`\`\`json
${EXAMPLE}
\`\`\`

- \`event\` is a stable name. Search for \`event\`, not for \`msg\`, which may change.
- Ids, bytes and durations are fields. \`durationMs\` is in milliseconds, \`durationSec\` in seconds.
- \`requestId\` is the \`X-Request-Id\` of the request that caused the line. Log lines of jobs that the request
  queued also contain it. A caller may choose the id: 1 to 128 characters of \`A-Z a-z 0-9 . _ -\`. Otherwise the
  service creates one.
- Secrets are masked as \`***\`: keys, tokens, signatures, and passwords in URLs.
- For repeated errors, at most 10 identical lines and 100 lines of the same event are written per minute.
  \`suppressed\` is the number of omitted lines.

| Goal | Setting |
|---|---|
| see every job and every requested segment | \`MILLRACE_LOG_LEVEL=info,tasks=debug\` |
| see only warnings and errors | \`MILLRACE_LOG_LEVEL=warn\` |
| get JSON on a terminal | \`MILLRACE_LOG_FORMAT=json\` |
| log every failed request | \`MILLRACE_ACCESS_LOG=errors\` |

\`\`\`sh
# Everything about one video
grep VIDEO_ID millrace.log
# Refused publishers with the reasons
jq -c 'select(.event == "publisher.refused") | [.time, .address, .reason]' millrace.log
# Everything that one request caused, in all roles
grep '"requestId":"REQUEST_ID"' millrace.log
\`\`\`

`;

/** Returns the page of the log: its events by part, and its fields. */
export function logsPage(): string {
  const parts = LOG_PARTS.map(describePart).join('\n');
  const fields = table(
    ['Field', 'Meaning'],
    Object.entries(LOG_FIELDS).map(([name, { meaning }]) => [`\`${name}\``, meaning]),
  );
  return `${INTRODUCTION}## Events\n\n${parts}\n## Fields\n\n${fields}\n`;
}

function describePart(part: string): string {
  const events = Object.entries<LogEvent>(LOG_EVENTS).filter(([, event]) => event.part === part);
  const rows = events.map(([name, { level, message, fields }]) => [
    `\`${name}\``,
    level,
    name === 'service.ready' ? 'The service is ready.' : message,
    fields.map((field) => (field.endsWith('?') ? field.slice(0, -1) : `**${field}**`)).join(', '),
  ]);
  return `### Part \`${part}\`\n\n${table(['Event', 'Level', 'Meaning', 'Fields (bold: always present)'], rows)}\n`;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
