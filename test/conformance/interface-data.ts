import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Operation } from '../../src/api/define-operation.ts';
import type { OperationDeps } from '../../src/api/operation-deps.ts';
import { operations } from '../../src/api/operations.ts';

/** An operation as the service has it. */
export type Real = Operation<OperationDeps>;

/** A row of section 4 of the interface document. A model of null is "none declared". */
export type Row = {
  section: string;
  method: string;
  path: string;
  auth: 'AccessKey' | 'none';
  query: Record<string, { type: string; default?: unknown }>;
  request: string | null;
  success: { status: number; model: string | null };
  errors: Record<string, string | null>;
};

/** A field of a published model. Absent marks mean: always there, never null. */
export type Field = { type: string; nullable?: true; optional?: true; minLength?: number };

export type WireModels = {
  enums: Record<string, (string | number)[]>;
  models: Record<string, Record<string, Field>>;
};

/** Every operation of the interface document, in its order. */
export const rows: readonly Row[] = readJson('interface-operations.json') as Row[];

/** The published models, apart from the schemas that the service itself works with. */
export const wireModels: WireModels = readJson('wire-models.json') as WireModels;

export function nameOf({ method, path: address }: { method: string; path: string }): string {
  return `${method} ${address}`;
}

/** The operation that a row describes; null while it is missing. */
export function findReal(row: Row): Real | null {
  return operations.find((operation) => nameOf(operation) === nameOf(row)) ?? null;
}

/** The row that describes an operation; null for what the service has beyond the document. */
export function findRow(operation: Real): Row | null {
  return rows.find((row) => nameOf(row) === nameOf(operation)) ?? null;
}

// Checked by the suite itself: a file that is not of this form makes its tests fail.
function readJson(file: string): unknown {
  return JSON.parse(readFileSync(path.join(import.meta.dirname, file), 'utf8'));
}
