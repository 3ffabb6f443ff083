import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { projectRoot } from '../../scripts/run-program.ts';

/** Returns the syntax trees of the product's source, except migrations. */
async function parseSource(): Promise<ts.SourceFile[]> {
  const files: ts.SourceFile[] = [];
  const exclude = ['**/*.test.ts', '**/migrations/**'];
  for await (const file of glob('src/**/*.ts', { cwd: projectRoot, exclude })) {
    const text = await readFile(path.join(projectRoot, file), 'utf8');
    files.push(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  }
  return files.sort((a, b) => a.fileName.localeCompare(b.fileName));
}

function findAll<Found extends ts.Node>(root: ts.Node, isWanted: (node: ts.Node) => node is Found): Found[] {
  const found: Found[] = [];
  const visit = (node: ts.Node): void => {
    if (isWanted(node)) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(root);
  return found;
}

/** Returns the name of a called function or method. */
function calledName({ expression }: ts.CallExpression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : '';
}

/** Whether a call such as `.set` is part of `updateTable('media')…`. */
function changesMedia({ expression }: ts.CallExpression): boolean {
  if (!ts.isPropertyAccessExpression(expression) || !ts.isCallExpression(expression.expression)) return false;
  const before = expression.expression;
  const [table] = before.arguments;
  if (calledName(before) !== 'updateTable') return changesMedia(before);
  return table !== undefined && ts.isStringLiteralLike(table) && /^media\b/.test(table.text);
}

/** Returns the columns of `media` that a query builder sets: the names of properties in its `set`, also nested ones. */
function columnsOfBuilders(source: ts.SourceFile): string[] {
  const sets = findAll(source, ts.isCallExpression).filter((call) => calledName(call) === 'set' && changesMedia(call));
  return sets
    .flatMap((call) => call.arguments.flatMap((argument) => findAll(argument, ts.isPropertyAssignment)))
    .map(({ name }) => name.getText().replaceAll(/['"]/g, ''));
}

/** Returns the columns of `media` that SQL sets. */
function columnsOfSql(source: ts.SourceFile): string[] {
  const templates = findAll(source, ts.isTaggedTemplateExpression).filter(({ tag }) => tag.getText() === 'sql');
  return templates.flatMap(({ template }) => {
    const [, assignments = ''] = /\bupdate\s+media\s(?:\w+\s)?\s*set\s([\s\S]*)/i.exec(template.getText()) ?? [];
    return [...assignments.matchAll(/(?:^|,)\s*(?:\w+\.)?(\w+)\s*=/g)].map(([, column = '']) => column);
  });
}

test('only one module changes the states of media', async () => {
  const files = await parseSource();
  const columns = files.map((source) => ({
    file: source.fileName,
    set: new Set([...columnsOfBuilders(source), ...columnsOfSql(source)]),
  }));
  expect(columns.filter(({ set }) => set.size > 0).length).toBeGreaterThan(20);
  const writers = columns.filter(({ set }) => set.has('state') || set.has('state_since'));
  expect(writers.map(({ file }) => file)).toEqual(['src/catalog/media-state-store.ts']);
});

/** Whether a call creates an HTTP server. Callers of `createWebServer` add the check of the host themselves. */
function createsServer(call: ts.CallExpression): boolean {
  const { expression } = call;
  if (ts.isPropertyAccessExpression(expression)) return expression.getText() === 'http.createServer';
  if (!ts.isIdentifier(expression)) return false;
  return expression.text === 'createWebServer' || isImportedServer(call.getSourceFile(), expression.text);
}

/** Whether a name is `createServer` of HTTP or HTTPS. */
function isImportedServer(source: ts.SourceFile, name: string): boolean {
  return findAll(source, ts.isImportDeclaration).some(({ moduleSpecifier, importClause }) => {
    const bindings = importClause?.namedBindings;
    if (!/^'(node:)?https?'$/.test(moduleSpecifier.getText()) || bindings === undefined) return false;
    if (!ts.isNamedImports(bindings)) return false;
    return bindings.elements.some(
      (one) => one.name.text === name && (one.propertyName ?? one.name).text === 'createServer',
    );
  });
}

/** Functions that refuse requests with several hosts or none. */
const GUARDS = ['requireOneHost', 'findHostFault', 'handleRequest'];

test('each function that creates an HTTP server refuses ambiguous hosts', async () => {
  const functions = (await parseSource())
    .filter(({ fileName }) => fileName !== 'src/lib/tls/create-web-server.ts')
    .flatMap((source) => source.statements.map((statement) => findAll(statement, ts.isCallExpression)))
    .filter((calls) => calls.some(createsServer));
  expect(functions.length).toBeGreaterThan(6);
  const open = functions.filter((calls) => !calls.some((call) => GUARDS.includes(calledName(call))));
  expect(open.map(([call]) => call?.getSourceFile().fileName)).toEqual([]);
});
