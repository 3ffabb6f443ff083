import { EDGE_ERRORS, REFUSALS, SOURCE_FAULTS } from '../../src/lib/error-catalogue.ts';

/** Returns docs/errors.md, generated from the catalogue. */
export function errorsPage(): string {
  return `${[
    '# Errors',
    'Generated from `src/lib/error-catalogue.ts` by `npm test -- test/conformance/documents.test.ts -u`. Codes are\n' +
      'stable; sentences are for people, and an answer often has a finer one.',
    '## The interface, uploads and publishers',
    'The status stands where [the interface](interface.md) names no finer one. The second address names the kind in\n' +
      '`ErrorKey`: `request.` and the kind with `_` for `-`; `pullZone.not_found` and the like where such a thing\n' +
      'is missing; `authentication.failed` for 401, `internal_error` from 500 on.',
    table(['Kind', 'Status', 'Sentence', 'Causes'], rowsOf(REFUSALS)),
    '## Requests that are not valid',
    'A value that a field or parameter cannot have is `invalid` (400), in the form of errors that the operation\n' +
      'documents. The message names the field as it was sent, what was expected and what came; nothing was done.\n' +
      '[The interface](interface.md#names-and-values) has the rules for names, empty values and bodies.',
    '## The edge',
    'The body is `{"error": code, "message": sentence, "statusCode": status}`; a refusal by a rule names it in\n' +
      '`X-Millrace-Rule`.',
    table(['Code', 'Status', 'Sentence', 'Causes'], rowsOf(EDGE_ERRORS)),
    '## Files that cannot become a video',
    'The kind is the `value` of a line in the messages of the video, beside its issue code.',
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
