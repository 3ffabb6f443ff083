import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

type Serialize = (data: unknown) => string;
type Build = (externalSchemas: object, options: object) => (route: { schema: unknown }) => Serialize;

/**
 * Serialises responses by their models. Each serialiser is compiled at the first response of its operation: compiling
 * all at start took a tenth of a second and 10 MiB. Requests are read by the operations themselves.
 */
export const lazySerializers = {
  compilersFactory: {
    buildValidator: () => (): never => {
      throw new Error('Expected requests to be read by their operations, got a schema of a route.');
    },
    buildSerializer:
      () =>
      ({ schema }: { schema?: unknown }) => {
        let serialize: Serialize | null = null;
        return (data: unknown) => {
          serialize ??= compile(schema);
          return serialize(data);
        };
      },
  },
};

/**
 * Compiles with the framework's own compiler, loaded on demand, by `require`, because the framework serialises
 * synchronously.
 */
function compile(schema: unknown): Serialize {
  const own = createRequire(require.resolve('fastify'));
  const select: () => Build = own('@fastify/fast-json-stringify-compiler');
  return select()({}, {})({ schema });
}
