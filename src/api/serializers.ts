import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

type Serialize = (data: unknown) => string;
type Build = (externalSchemas: object, options: object) => (route: { schema: unknown }) => Serialize;

/**
 * Serialises responses by their models. Each serialiser is compiled for the first response of its operation: compiling
 * all at startup took 0.1 s and 10 MiB. Operations parse their requests themselves.
 */
export const lazySerializers = {
  compilersFactory: {
    buildValidator: () => (): never => {
      throw new Error('Expected operations to parse their requests, got a route with a request schema.');
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
 * Compiles with the compiler of Fastify. It is loaded on demand with `require`, because Fastify serialises
 * synchronously.
 */
function compile(schema: unknown): Serialize {
  const own = createRequire(require.resolve('fastify'));
  const select: () => Build = own('@fastify/fast-json-stringify-compiler');
  return select()({}, {})({ schema });
}
