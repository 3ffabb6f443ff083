import { EDGE_ERRORS, REFUSALS, SOURCE_FAULTS } from '../../src/lib/error-catalogue.ts';

/** Returns docs/errors.md, generated from the catalogue. */
export function errorsPage(): string {
  return `${[
    '# Errors',
    '<!-- Generated from src/lib/error-catalogue.ts by: npm test -- test/conformance/documents.test.ts -u -->',
    'Use this page to find the cause of an error code. Codes are stable. Sentences are written for people, and a\n' +
      'response often contains a more specific one.',
    '## The interface, uploads and publishers',
    'An operation can use another status than this table; see [HTTP interface](interface.md). Operations on\n' +
      'libraries and pull zones put a key into `ErrorKey`: `request.` and the kind with `_` instead of `-`, such as\n' +
      '`request.too_large`. A missing resource gives `pullZone.not_found` and the like, a 401\n' +
      '`authentication.failed`, a status from 500 on `internal_error`.',
    table(['Kind', 'Status', 'Sentence', 'Causes'], rowsOf(REFUSALS)),
    '## Invalid requests',
    'A value that a field or parameter does not accept gives `invalid` (400). The message names the field, the\n' +
      'expected value and the received value. The request changes nothing. The rules for names, empty values and\n' +
      'bodies are in [HTTP interface](interface.md#names-and-values).',
    '## The edge',
    'The body is `{"error": code, "message": sentence, "statusCode": status}`. If a rule refused the request, its\n' +
      'number is in `X-Millrace-Rule`.',
    table(['Code', 'Status', 'Sentence', 'Causes'], rowsOf(EDGE_ERRORS)),
    '## Files that cannot become a video',
    'Each message of a video has an issue code and a kind, the latter in `value`.',
    table(
      ['Kind', 'Issue code', 'Causes'],
      Object.entries(SOURCE_FAULTS).map(([kind, { issueCode, cause }]) => [`\`${kind}\``, String(issueCode), cause]),
    ),
  ].join('\n\n')}\n`;
}

function rowsOf(errors: typeof REFUSALS | typeof EDGE_ERRORS): string[][] {
  return Object.entries(errors).map(([code, { status, sentence, cause }]) => [
    ...[`\`${code}\``, String(status), sentence, cause],
  ]);
}

function table(heads: string[], lines: string[][]): string {
  return [heads, heads.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
