/** Thrown if an engine's process crashed at a span, also on a retry. Another span may succeed. */
export class EngineCrashed extends Error {
  override name = 'EngineCrashed';
}
