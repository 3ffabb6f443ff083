import { readFile } from 'node:fs/promises';
import ts from 'typescript';

/** A comment, a test title, or the text of an error or log entry, with its first line. Wrapped lines are joined. */
export type Prose = { kind: 'comment' | 'title' | 'message'; line: number; text: string };

type CommentRange = { pos: number; end: number; kind: ts.CommentKind };

/** Comments that are instructions to tools. */
const DIRECTIVE = /^(biome-ignore|@ts-|eslint|\/ <reference|#)/;
const TEST_FUNCTIONS = ['test', 'it', 'describe'];
const ERROR_CLASS = /(Error|Refused|Fault|BrokenMedia|Away)$/;
const LOG_METHOD = /\blog(ger)?\.(debug|info|warn|error)$/;

/** Reads the comments of a TypeScript or JavaScript file, the titles of its tests, and its error and log messages. */
export async function readProse(file: string): Promise<Prose[]> {
  const text = await readFile(file, 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const ranges = new Map<number, CommentRange>();
  const texts: Prose[] = [];
  const visit = (node: ts.Node): void => {
    // The text of a JSX element may contain characters that look like a comment.
    if (node.kind === ts.SyntaxKind.JsxText) return;
    if (ts.isCallExpression(node)) texts.push(...readTitle(node, source));
    if (isMessage(node, source)) texts.push(...readMessages(node, source));
    const children = node.getChildren(source);
    for (const child of children) visit(child);
    if (children.length > 0) return;
    for (const range of ts.getLeadingCommentRanges(text, node.pos) ?? []) ranges.set(range.pos, range);
    for (const range of ts.getTrailingCommentRanges(text, node.end) ?? []) ranges.set(range.pos, range);
  };
  visit(source);
  const comments = joinLines(
    text,
    [...ranges.values()].sort((a, b) => a.pos - b.pos),
  ).map(({ pos, body }): Prose => ({ kind: 'comment', line: lineOf(source, pos), text: body }));
  return [...comments.filter((comment) => !DIRECTIVE.test(comment.text)), ...texts];
}

function lineOf(source: ts.SourceFile, position: number): number {
  return source.getLineAndCharacterOfPosition(position).line + 1;
}

/** Joins the lines of each comment, and `//` comments on consecutive lines. */
function joinLines(text: string, ranges: readonly CommentRange[]): { pos: number; body: string }[] {
  const joined: { pos: number; end: number; isLine: boolean; body: string }[] = [];
  for (const { pos, end, kind } of ranges) {
    const isLine = kind === ts.SyntaxKind.SingleLineCommentTrivia;
    const raw = text.slice(pos, end);
    const body = (isLine ? raw.slice(2) : raw.replace(/^\/\*+|\*+\/$/g, '').replaceAll(/\n\s*\* ?/g, '\n')).trim();
    const before = joined.at(-1);
    if (isLine && before?.isLine && /^\n[ \t]*$/.test(text.slice(before.end, pos))) {
      before.body += ` ${body}`;
      before.end = end;
    } else joined.push({ pos, end, isLine, body });
  }
  return joined;
}

function readTitle(call: ts.CallExpression, source: ts.SourceFile): Prose[] {
  const [title] = call.arguments;
  if (title === undefined || !TEST_FUNCTIONS.includes(calledName(call.expression))) return [];
  if (!ts.isStringLiteralLike(title) && !ts.isTemplateExpression(title)) return [];
  const text = ts.isStringLiteralLike(title) ? title.text : title.getText(source).slice(1, -1);
  return [{ kind: 'title', line: lineOf(source, title.getStart(source)), text }];
}

type MessageNode = ts.NewExpression | ts.CallExpression;

function isMessage(node: ts.Node, source: ts.SourceFile): node is MessageNode {
  if (ts.isNewExpression(node)) return ERROR_CLASS.test(node.expression.getText(source));
  return ts.isCallExpression(node) && LOG_METHOD.test(node.expression.getText(source));
}

/**
 * Reads the texts among the arguments. Interpolated values are shown as `…`. Texts without a space, which are names,
 * are omitted.
 */
function readMessages(node: MessageNode, source: ts.SourceFile): Prose[] {
  return (node.arguments ?? []).flatMap(textsOf).flatMap((part): Prose[] => {
    const text = ts.isStringLiteralLike(part) ? part.text : part.getText(source).replaceAll(/\$\{[^}]*\}/g, '`…`');
    return /\s/.test(text.trim()) ? [{ kind: 'message', line: lineOf(source, part.getStart(source)), text }] : [];
  });
}

/** Returns the literals of a text that is concatenated with `+` or selected by a condition. */
function textsOf(node: ts.Expression): ts.Expression[] {
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return [node];
  if (ts.isBinaryExpression(node)) return [...textsOf(node.left), ...textsOf(node.right)];
  return ts.isConditionalExpression(node) ? [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)] : [];
}

/**
 * Returns the name of the called function, such as `test` for `test.each(…)` and `describe` for `describe.skipIf(…)`.
 */
function calledName(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  if (ts.isPropertyAccessExpression(expression) || ts.isCallExpression(expression)) {
    return calledName(expression.expression);
  }
  return ts.isTaggedTemplateExpression(expression) ? calledName(expression.tag) : '';
}
