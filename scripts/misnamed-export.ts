import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import ts from 'typescript';

/** Matches files that are named by a convention: tests, tables, migrations and lists of all modules of a folder. */
const EXEMPT = /\.(test|table|d)\.tsx?$|\/migrations\/|\/(all|main|index)\.tsx?$/;

/**
 * Returns the only value that a file exports if the file is not named after it or after an exported type, otherwise
 * null. The file name may omit the first word (`playlist.ts` exports `writePlaylist`) or the last one, and may end with
 * `-store` (SQL) or begin with `run-` or `read-` (media code that touches files or programs). Files that export several
 * values are named after their concept, which cannot be checked.
 */
export async function findMisnamedExport(file: string): Promise<string | null> {
  if (EXEMPT.test(file)) return null;
  const source = ts.createSourceFile(file, await readFile(file, 'utf8'), ts.ScriptTarget.Latest);
  const names = source.statements.flatMap(exportedValues);
  const [name] = names;
  if (name === undefined || names.length > 1) return null;
  const base = basename(file)
    .replace(/\.\w+$/, '')
    .replaceAll('-', '')
    .toLowerCase();
  return [name, ...source.statements.flatMap(exportedTypes)].some((each) => isNameOf(base, each)) ? null : name;
}

function isNameOf(base: string, name: string): boolean {
  const words = toWords(name);
  const accepted = [words, words.slice(1), words.slice(0, -1)].map((some) => some.join(''));
  return accepted.some((some) => [some, `${some}store`, `run${some}`, `read${some}`].includes(base));
}

function exportedValues(statement: ts.Statement): string[] {
  if (ts.isExportDeclaration(statement)) {
    const { exportClause } = statement;
    return exportClause && ts.isNamedExports(exportClause) ? exportClause.elements.map(({ name }) => name.text) : [];
  }
  if (!isExported(statement)) return [];
  if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) return [statement.name?.text ?? ''];
  if (!ts.isVariableStatement(statement)) return [];
  return statement.declarationList.declarations.map(({ name }) => (ts.isIdentifier(name) ? name.text : ''));
}

function exportedTypes(statement: ts.Statement): string[] {
  const isType = ts.isTypeAliasDeclaration(statement) || ts.isInterfaceDeclaration(statement);
  return isType && isExported(statement) ? [statement.name.text] : [];
}

function isExported(statement: ts.Statement): boolean {
  if (!ts.canHaveModifiers(statement)) return false;
  return ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
}

/** Splits a name in camel case or upper case into its words, in lower case. */
function toWords(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _]+/);
}
