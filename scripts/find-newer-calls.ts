import { basename, dirname, relative, resolve } from 'node:path';
import ts from 'typescript';

/** Oldest Node that runs the packed command line and `bin/`. */
const OLDEST = { major: 20, minor: 19 };

/** Libraries of TypeScript whose functions the oldest Node lacks. */
const NEWER_LIBRARY = /^lib\.(es2024|es202[5-9]|esnext)\./;
/** Functions in these libraries that Node 20 has. */
const KNOWN_IN_LIBRARY = ['isWellFormed', 'toWellFormed', 'dispose', 'asyncDispose'];
/** Globals of newer releases. Their types have no version. */
const NEWER_GLOBALS = ['EventSource', 'URLPattern', 'WebSocket', 'localStorage', 'navigator', 'sessionStorage'];

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  lib: ['lib.esnext.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ['node'],
  strict: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  allowJs: true,
  checkJs: true,
  noEmit: true,
  skipLibCheck: true,
};

export type NewerCall = { file: string; line: number; name: string; since: string };

/**
 * Finds functions that the oldest supported Node lacks, in the given programs and in all modules of the project that
 * they load. Reads the version from the types: of Node's functions from `@since`, of the language from the library.
 * Ignores calls with `?.`, which allow for a function that is missing.
 */
export function findNewerCalls(entries: readonly string[], root: string): NewerCall[] {
  const typeRoots = [resolve(root, 'node_modules/@types')];
  const program = ts.createProgram({ rootNames: entries, options: { ...compilerOptions, typeRoots } });
  const checker = program.getTypeChecker();
  const found: NewerCall[] = [];
  for (const source of loadedFiles(program, entries)) {
    const visit = (node: ts.Node): void => {
      if (ts.isTypeNode(node)) return;
      const since = ts.isIdentifier(node) ? sinceOf(checker.getSymbolAtLocation(node), checker) : null;
      if (since !== null && !isOptionalCall(node.parent)) {
        const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
        found.push({ file: relative(root, source.fileName), line, name: node.getText(source), since });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

function isOptionalCall({ parent }: ts.Node): boolean {
  return ts.isCallExpression(parent) && parent.questionDotToken !== undefined;
}

/** Returns the modules of the project that the entries load. Imports of types load nothing. */
function loadedFiles(program: ts.Program, entries: readonly string[]): ts.SourceFile[] {
  const loaded = new Map<string, ts.SourceFile>();
  const load = (path: string): void => {
    const source = program.getSourceFile(path);
    if (source === undefined || loaded.has(path) || source.isDeclarationFile) return;
    loaded.set(path, source);
    for (const name of loadedNames(source)) load(resolve(dirname(path), name));
  };
  for (const entry of entries) load(entry);
  return [...loaded.values()];
}

function loadedNames(source: ts.SourceFile): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    const name = loadedName(node);
    if (name !== undefined && ts.isStringLiteralLike(name)) names.push(name.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names.filter((name) => name.startsWith('.'));
}

function loadedName(node: ts.Node): ts.Expression | undefined {
  if (ts.isImportDeclaration(node)) return node.importClause?.isTypeOnly === true ? undefined : node.moduleSpecifier;
  if (ts.isExportDeclaration(node)) return node.isTypeOnly ? undefined : node.moduleSpecifier;
  const isImportCall = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isImportCall ? node.arguments[0] : undefined;
}

/** Returns the version that added a symbol, or null if the oldest Node has it or the types do not tell. */
function sinceOf(symbol: ts.Symbol | undefined, checker: ts.TypeChecker): string | null {
  if (symbol === undefined) return null;
  const target = (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
  const declarations = target.declarations ?? [];
  const isGlobal = declarations.some((one) => one.getSourceFile().isDeclarationFile);
  if (isGlobal && NEWER_GLOBALS.includes(target.name)) return 'a global of a newer Node';
  const versions = declarations.flatMap((one) => versionOf(target.name, one));
  return versions.every(({ isNewer }) => isNewer) ? (versions[0]?.since ?? null) : null;
}

/** Returns the version of one declaration. Only one of several overloads may state it. */
function versionOf(name: string, declaration: ts.Declaration): { since: string; isNewer: boolean }[] {
  const library = basename(declaration.getSourceFile().fileName);
  if (library.startsWith('lib.')) {
    return [{ since: library, isNewer: NEWER_LIBRARY.test(library) && !KNOWN_IN_LIBRARY.includes(name) }];
  }
  const tag = ts.getJSDocTags(declaration).find(({ tagName }) => tagName.text === 'since');
  const since = ts.getTextOfJSDocComment(tag?.comment) ?? '';
  const releases = [...since.matchAll(/v(\d+)\.(\d+)\.\d+/g)];
  if (releases.length === 0) return [];
  // A function that older lines got later has several versions.
  const isNewer = !releases.some(([, major, minor]) => {
    return Number(major) < OLDEST.major || (Number(major) === OLDEST.major && Number(minor) <= OLDEST.minor);
  });
  return [{ since, isNewer }];
}
