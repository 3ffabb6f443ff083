import { CompiledQuery, type QueryResult } from 'kysely';
import pg from 'pg';

type Requested = { executeQuery<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>> };

/** Statement names by text: few and fixed, because every connection keeps each. */
const names = new Map<string, string>();

/** SQLSTATE feature_not_supported, which a cached plan returns if a migration changed its columns. */
const PLAN_OUTDATED = '0A000';

/**
 * A statement that each connection parses and plans once, for queries so frequent that planning would cost more than
 * execution. Its plan must suit all values, so statements with patterns do not qualify. Must not be used in
 * transactions.
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
      // A different text forces a new plan.
      return ask(`${text} `);
    }
  };
}

// The caller of `prepare` guarantees the row type, as with any literal SQL.
function typed<Row>(text: string, values: readonly unknown[]): CompiledQuery<Row> {
  return CompiledQuery.raw(text, [...values]) as CompiledQuery<Row>;
}

/** Lets a connection keep the plans of prepared statements. */
export function keepPlans(client: pg.ClientBase): void {
  const plain: unknown = Reflect.get(client, 'query');
  if (typeof plain !== 'function') throw new Error(`Expected a pg client with a method query, got ${typeof plain}.`);
  const query = (question: unknown, values: unknown, ...rest: unknown[]): unknown => {
    const name = typeof question === 'string' ? names.get(question) : undefined;
    const requested = name === undefined ? [question, values] : [{ name, text: question, values }];
    return Reflect.apply(plain, client, [...requested, ...rest]);
  };
  Object.defineProperty(client, 'query', { value: query });
}
