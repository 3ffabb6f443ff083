import type { IncomingMessage } from 'node:http';
import { type Static, type TObject, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { createNameRules } from '../name-rules.ts';
import { readJsonBody } from '../read-json-body.ts';

const LIMIT_BYTES = 8192;

/** Creates a reader of the JSON body of a dashboard route, which refuses unknown and malformed fields. */
export function formReader<T extends TObject>(
  path: string,
  schema: T,
): (message: IncomingMessage) => Promise<Static<T>> {
  const names = createNameRules({ method: 'POST', path, isHosted: false, query: Type.Object({}), body: schema });
  const wanted = {
    ...{ schema, names, limitBytes: LIMIT_BYTES },
    validator: Compile(schema),
    check: () => [],
    presence: 'required' as const,
  };
  // The body was just read with the schema from which its type is inferred.
  return async (message) => (await readJsonBody(message, wanted)) as Static<T>;
}
