import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { projectRoot } from '../../scripts/run-program.ts';

function parse(file: string, text: string): ts.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}

/** Returns the syntax trees of the product's source, except migrations. */
async function parseSource(): Promise<ts.SourceFile[]> {
  const files: ts.SourceFile[] = [];
  const exclude = ['**/*.test.ts', '**/migrations/**'];
  for await (const file of glob('src/**/*.ts', { cwd: projectRoot, exclude })) {
    const text = await readFile(path.join(projectRoot, file), 'utf8');
    files.push(parse(file, text));
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

/** Whether a call such as `.set` is part of `updateTable('media')…` or `insertInto('media')…`. */
function changesMedia({ expression }: ts.CallExpression): boolean {
  if (!ts.isPropertyAccessExpression(expression) || !ts.isCallExpression(expression.expression)) return false;
  const before = expression.expression;
  const [table] = before.arguments;
  if (!['updateTable', 'insertInto'].includes(calledName(before))) return changesMedia(before);
  return table !== undefined && ts.isStringLiteralLike(table) && /^media\b/.test(table.text);
}

/** Returns the calls that set columns of `media`: `.set`, and `.doUpdateSet` in the argument of `.onConflict`. */
function callsThatSet(source: ts.SourceFile): ts.CallExpression[] {
  const calls = findAll(source, ts.isCallExpression).filter(changesMedia);
  const conflicts = calls.filter((call) => calledName(call) === 'onConflict');
  return [
    ...calls.filter((call) => calledName(call) === 'set'),
    ...conflicts.flatMap((call) =>
      findAll(call, ts.isCallExpression).filter((one) => calledName(one) === 'doUpdateSet'),
    ),
  ];
}

function columnsOf(source: ts.SourceFile): Set<string> {
  return new Set([...columnsOfBuilders(source), ...columnsOfSql(source)]);
}

/** Whether a node names a property of an object: `{ name: value }` or `{ name }`. */
function isNamed(node: ts.Node): node is ts.PropertyAssignment | ts.ShorthandPropertyAssignment {
  return ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node);
}

/**
 * Returns the columns of `media` that a query builder sets: its first argument, or the names of properties in it, also
 * nested ones.
 */
function columnsOfBuilders(source: ts.SourceFile): string[] {
  return callsThatSet(source).flatMap(({ arguments: [first] }) => {
    if (first === undefined) return [];
    if (ts.isStringLiteralLike(first)) return [first.text];
    return findAll(first, isNamed).map(({ name }) => name.getText().replaceAll(/['"]/g, ''));
  });
}

/** SQL that changes rows of `media`. */
const UPDATES = [
  /\bupdate\s+(?:only\s+)?"?media"?\s+(?:(?:as\s+)?\w+\s+)?set\s([\s\S]*)/i,
  /\binsert\s+into\s+"?media"?\s[\s\S]*\bdo\s+update\s+set\s([\s\S]*)/i,
];

/** Returns the columns of `media` that SQL sets. */
function columnsOfSql(source: ts.SourceFile): string[] {
  const templates = findAll(source, ts.isTaggedTemplateExpression).filter(({ tag }) => tag.getText() === 'sql');
  return templates.flatMap(({ template }) => {
    const text = template.getText();
    const assignments = UPDATES.map((pattern) => pattern.exec(text)?.[1]).find((one) => one !== undefined) ?? '';
    return [...assignments.matchAll(/(?:^|,)\s*(?:\w+\.)?"?(\w+)"?\s*=/g)].map(([, column = '']) => column);
  });
}

test.each([
  "db.updateTable('media').set({ state: 'finished' })",
  "db.updateTable('media').set({ title, state })",
  "db.updateTable('media as m').where('id', '=', id).set({ ...(isDone && { state }) })",
  "db.updateTable('media').set('state', state)",
  "db.updateTable('media').set(({ ref }) => ({ state: ref('next') }))",
  "db.insertInto('media').values(row).onConflict((clash) => clash.column('id').doUpdateSet({ state }))",
  'sql`update media set state = 1`',
  'sql`update media m set title = 1, state = 1`',
  'sql`update media as m set "state" = 1`',
  'sql`update "media" set state = 1`',
  'sql`insert into media values (1) on conflict (id) do update set state = 1`',
])('finds the change of a state in %j', (text) => {
  expect(columnsOf(parse('x.ts', text))).toContain('state');
});

test.each([
  "db.updateTable('upload').set({ state })",
  "db.insertInto('upload').onConflict((c) => c.doUpdateSet({ state }))",
])('finds no change of media in %j', (text) => {
  expect([...columnsOf(parse('x.ts', text))]).toEqual([]);
});

test('only one module changes the states of media', async () => {
  const files = await parseSource();
  const columns = files.map((source) => ({
    file: source.fileName,
    set: columnsOf(source),
  }));
  expect(columns.filter(({ set }) => set.size > 0).length).toBeGreaterThan(20);
  const writers = columns.filter(({ set }) => set.has('state') || set.has('state_since'));
  expect(writers.map(({ file }) => file)).toEqual(['src/catalog/media-state-store.ts']);
});

const HTTP_MODULE = /^'(?:(?:node:)?https?|(?:node:)?http2|.*\/http\.ts)'$/;
const SERVER_MAKERS = ['createServer', 'createSecureServer'];

/** Whether a call creates an HTTP server. Callers of `createWebServer` add the check of the host themselves. */
function createsServer(call: ts.CallExpression): boolean {
  const { expression } = call;
  const imports = findAll(call.getSourceFile(), ts.isImportDeclaration).filter(({ moduleSpecifier }) =>
    HTTP_MODULE.test(moduleSpecifier.getText()),
  );
  if (ts.isIdentifier(expression)) {
    return expression.text === 'createWebServer' || imports.some((one) => namesMaker(one, expression.text));
  }
  if (!ts.isPropertyAccessExpression(expression) || !SERVER_MAKERS.includes(expression.name.text)) return false;
  return imports.some((one) => namesModule(one, expression.expression.getText()));
}

/** Whether a name is `createServer` of an imported module. */
function namesMaker({ importClause }: ts.ImportDeclaration, name: string): boolean {
  const bindings = importClause?.namedBindings;
  if (bindings === undefined || !ts.isNamedImports(bindings)) return false;
  return bindings.elements.some(
    (one) => one.name.text === name && SERVER_MAKERS.includes((one.propertyName ?? one.name).text),
  );
}

/** Whether a name is an imported module: its default, its namespace or the value `http` of our own module. */
function namesModule({ importClause }: ts.ImportDeclaration, name: string): boolean {
  const bindings = importClause?.namedBindings;
  if (importClause?.name?.text === name) return true;
  if (bindings === undefined) return false;
  if (ts.isNamespaceImport(bindings)) return bindings.name.text === name;
  return bindings.elements.some((one) => one.name.text === name);
}

test.each([
  "import http from 'node:http'; http.createServer();",
  "import * as plain from 'node:http'; plain.createServer();",
  "import https from 'https'; https.createServer({});",
  "import { createServer } from 'node:https'; createServer();",
  "import { createServer as make } from 'http'; make();",
  "import http2 from 'node:http2'; http2.createSecureServer({});",
  "import { http as own } from '../lib/http.ts'; own.createServer();",
  'createWebServer();',
])('finds the HTTP server of %j', (text) => {
  expect(findAll(parse('x.ts', text), ts.isCallExpression).filter(createsServer)).toHaveLength(1);
});

test.each([
  "import net from 'node:net'; net.createServer();",
  "import { createServer } from 'node:net'; createServer();",
])('finds no HTTP server in %j', (text) => {
  expect(findAll(parse('x.ts', text), ts.isCallExpression).filter(createsServer)).toEqual([]);
});

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
