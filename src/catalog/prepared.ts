import { CompiledQuery, type QueryResult } from 'kysely';
import pg from 'pg';

type Requested = { executeQuery<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>> };

/** Their names by their texts: few and fixed, since each is kept by every connection. */
const names = new Map<string, string>();

/** SQLSTATE feature_not_supported, which a kept plan answers when a migration changed its columns. */
const PLAN_OUTDATED = '0A000';

/**
 * A statement that each connection has parsed and planned once, for those that are asked so often that planning would
 * cost more than answering. Its plan must be good for all values: none for patterns. Not for transactions.
 */
export function prepare<Row>(
  name: string,
  text: string,
): (db: Requested, values: readonly unknown[]) => Promise<Row[]> {
  names.set(text, `millrace_${name}`);
  return async (db, values) => {
    const ask = async (requested: string) => (await db.executeQuery(typed<Row>(requested, values))).rows;
    try {
      return await ask(text);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== PLAN_OUTDATED) throw error;
      // By another text it is planned anew.
      return ask(`${text} `);
    }
  };
}

// What the text answers is promised by the caller of `prepare`, as with any SQL that is written out.
function typed<Row>(text: string, values: readonly unknown[]): CompiledQuery<Row> {
  return CompiledQuery.raw(text, [...values]) as CompiledQuery<Row>;
}

/** Has a connection keep the plans of prepared statements. */
export function keepPlans(client: pg.ClientBase): void {
  const plain: unknown = Reflect.get(client, 'query');
  if (typeof plain !== 'function') throw new Error('Expected a connection that can be asked.');
  const query = (question: unknown, values: unknown, ...rest: unknown[]): unknown => {
    const name = typeof question === 'string' ? names.get(question) : undefined;
    const requested = name === undefined ? [question, values] : [{ name, text: question, values }];
    return Reflect.apply(plain, client, [...requested, ...rest]);
  };
  Object.defineProperty(client, 'query', { value: query });
}
