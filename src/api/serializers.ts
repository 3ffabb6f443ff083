import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

type Serialize = (data: unknown) => string;
type Build = (externalSchemas: object, options: object) => (route: { schema: unknown }) => Serialize;

/**
 * How answers become text by their models. Each is compiled when its operation first answers: all of them at the start
 * took a tenth of a second and 10 MiB, compilers included. Requests are read by the operations themselves.
 */
export const serializersAtFirstUse = {
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

/** The framework's own compiler, loaded here and not before; by `require`, since the framework serializes at once. */
function compile(schema: unknown): Serialize {
  const own = createRequire(require.resolve('fastify'));
  const select: () => Build = own('@fastify/fast-json-stringify-compiler');
  return select()({}, {})({ schema });
}
