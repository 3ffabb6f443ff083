import { Readable } from 'node:stream';
import { Type } from 'typebox';
import {
  type AccountAuditFilter,
  type AccountAuditStore,
  AUDIT_KINDS,
  type AuditKind,
} from '../../catalog/audit/account-audit-store.ts';
import type { AuditLine } from '../../catalog/audit/audit-line.ts';
import type { NamedAuditLine } from '../../catalog/audit/audit-store.ts';
import { readTime } from '../../lib/read-time.ts';
import { csvLine } from '../csv-line.ts';
import { defineOperation } from '../define-operation.ts';
import { type AccountAuditLineModel, AccountAuditModel } from '../models/account-audit.ts';
import { auditFieldsOf, auditObjectOf } from '../models/audit-fields-of.ts';
import { NoParams } from '../read-params.ts';
import { maybe, queryInt32, queryInt64, queryText, queryWord, requireOrder } from '../read-query.ts';

type Deps = { accountAudit: AccountAuditStore };

// `Object.keys` has the type string[].
const KINDS = [...Object.keys(AUDIT_KINDS), 'other'] as AuditKind[];
const FILTERS = {
  kind: queryWord('', KINDS),
  who: queryText(),
  operation: queryText(),
  libraryId: queryInt64(0),
  from: maybe.dateTime(),
  to: maybe.dateTime(),
};

/** Not part of the hosted API. */
export const listAccountAudit = defineOperation({
  name: 'listAccountAudit',
  method: 'GET',
  path: '/audit',
  description:
    'Lists sign-ins and write requests of the whole account, newest first, with the names of objects. Entries are ' +
    'kept for 90 days.',
  auth: 'account-key',
  permission: 'account.manage',
  params: NoParams,
  query: Type.Object({ ...FILTERS, before: queryInt64(0), perPage: queryInt32(100, 1, 1000) }),
  answer: AccountAuditModel,
  refusals: { invalid: 400 },
  errorShape: 'core',
  async run({ query }, { accountAudit }: Deps) {
    const { perPage, before } = query;
    const found = await accountAudit.list({ ...readFilter(query), before: before || null }, perPage + 1);
    return { Items: found.slice(0, perPage).map(toModel), HasMoreItems: found.length > perPage };
  },
});

/** Not part of the hosted API. */
export const exportAccountAudit = defineOperation({
  name: 'exportAccountAudit',
  method: 'GET',
  path: '/audit/export',
  description: 'Exports all entries of the audit log that match, as CSV, newest first. The response is streamed.',
  auth: 'account-key',
  permission: 'account.manage',
  params: NoParams,
  query: Type.Object(FILTERS),
  answer: 'csv',
  fileName: 'audit.csv',
  refusals: { invalid: 400 },
  errorShape: 'core',
  async run({ query, signal }, { accountAudit }: Deps) {
    const batches = accountAudit.readAll({ ...readFilter(query), before: null });
    // Reads the first batch early, because errors after the first byte can no longer change the status.
    const first = await batches.next();
    return Readable.from(writeCsv(first.done === true ? [] : first.value, batches), { signal });
  },
});

type SentFilter = {
  kind: AuditKind | '';
  who: string;
  operation: string;
  libraryId: number;
  from?: string;
  to?: string;
};

function readFilter(query: SentFilter): Omit<AccountAuditFilter, 'before'> {
  requireOrder(query, 'from', 'to');
  const { kind, who, operation, libraryId, from, to } = query;
  return {
    kind: kind || null,
    who: who.trim() || null,
    operation: operation || null,
    libraryId: libraryId || null,
    from: readTime(from ?? ''),
    to: readTime(to ?? ''),
  };
}

function toModel(line: NamedAuditLine): AccountAuditLineModel {
  return { ...auditFieldsOf(line), LibraryId: line.libraryId, ...auditObjectOf(line) };
}

const COLUMNS = [
  'Date',
  'Key',
  'Scope',
  'LibraryId',
  'Operation',
  'Targets',
  'Status',
  'Ip',
  'RequestId',
  'Changes',
] as const;

async function* writeCsv(first: readonly AuditLine[], rest: AsyncIterable<AuditLine[]>): AsyncGenerator<string> {
  yield `${csvLine(COLUMNS)}${linesOf(first)}`;
  for await (const lines of rest) yield linesOf(lines);
}

function linesOf(lines: readonly AuditLine[]): string {
  return lines.map((line) => csvLine(cellsOf(line))).join('');
}

function cellsOf(line: AuditLine): string[] {
  const fields = { ...auditFieldsOf(line), LibraryId: line.libraryId };
  return COLUMNS.map((column) => {
    const cell = fields[column];
    return typeof cell === 'object' && cell !== null ? JSON.stringify(cell) : String(cell ?? '');
  });
}
