import { EDGE_ERRORS, REFUSALS, SOURCE_FAULTS } from '../../src/lib/error-catalogue.ts';

/** Returns docs/errors.md, generated from the catalogue. */
export function errorsPage(): string {
  return `${[
    '# Errors',
    '<!-- Generated from src/lib/error-catalogue.ts by: npm test -- test/conformance/documents.test.ts -u -->',
    'Use this page to find the cause of an error code. Codes do not change between versions. Messages may\n' +
      'change, and a response often contains a more specific message than these tables.',
    '## API, uploads and publishers',
    'Some operations use a different status than this table, see [API](interface.md). Error responses of\n' +
      'operations on libraries and pull zones contain `ErrorKey`: `request.` and the kind with `_` instead of\n' +
      '`-`, such as `request.too_large`. If a resource does not exist, it is `pullZone.not_found` or the same\n' +
      'for another resource. With status 401 it is `authentication.failed`, and with a status of 500 or higher\n' +
      '`internal_error`.',
    table(['Kind', 'Status', 'Message', 'Causes'], rowsOf(REFUSALS)),
    '## Invalid requests',
    'If a field or parameter does not accept a value, the response is `invalid` (400). The message contains\n' +
      'the field, the expected value and the received value. The request has no effect.\n' +
      '[API](interface.md#names-and-values) has the rules for names, empty values and bodies.',
    '## The edge',
    'The response body is `{"error": code, "message": message, "statusCode": status}`. If a rule refused the\n' +
      'request, the header `X-Millrace-Rule` contains its number.',
    table(['Code', 'Status', 'Message', 'Causes'], rowsOf(EDGE_ERRORS)),
    '## Files that cannot become a video',
    'The reason is in `transcodingMessages` of the video: `issueCode` contains the issue code, and `value` the kind.',
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
