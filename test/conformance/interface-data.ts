import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Operation } from '../../src/api/define-operation.ts';
import type { OperationDeps } from '../../src/api/operation-deps.ts';
import { operations } from '../../src/api/operations.ts';

/** An operation as the service implements it. */
export type Real = Operation<OperationDeps>;

/** An operation of the hosted API, as its description declares it. A null model means that none is declared. */
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

/** A field of a published model. Without flags, it is always present and never null. */
export type Field = { type: string; nullable?: true; optional?: true; minLength?: number };

export type WireModels = {
  enums: Record<string, (string | number)[]>;
  models: Record<string, Record<string, Field>>;
};

/** Every operation of the hosted API, in the order of its description. */
export const rows: readonly Row[] = readJson('interface-operations.json') as Row[];

/** The published models, separate from the schemas that the service itself uses. */
export const wireModels: WireModels = readJson('wire-models.json') as WireModels;

/**
 * Refusals that operations of Millrace declare in addition to those of their rows, because Millrace rejects wrong
 * input.
 */
const ADDED_ERRORS: Readonly<Record<string, Row['errors']>> = {
  'GET /library/{libraryId}/statistics': { 400: null },
  'GET /shield/event-logs/{shieldZoneId}/{date}/{continuationToken}': { 400: 'EventLogPage', 404: 'EventLogPage' },
};

/** Returns the refusals of a hosted operation, with the model of each. */
export function errorsOf(row: Row): Row['errors'] {
  return { ...row.errors, ...ADDED_ERRORS[nameOf(row)] };
}

export function nameOf({ method, path: address }: { method: string; path: string }): string {
  return `${method} ${address}`;
}

/** Returns the operation that a row describes, or null if the service lacks it. */
export function findReal(row: Row): Real | null {
  return operations.find((operation) => nameOf(operation) === nameOf(row)) ?? null;
}

/** Returns the row that describes an operation, or null if the operation is not part of the hosted API. */
export function findRow(operation: Real): Row | null {
  return rows.find((row) => nameOf(row) === nameOf(operation)) ?? null;
}

// The type is not checked here: if the file has a different structure, the suite fails.
function readJson(file: string): unknown {
  return JSON.parse(readFileSync(path.join(import.meta.dirname, file), 'utf8'));
}
