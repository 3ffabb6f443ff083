/** Thrown if the process of an engine crashed at a span and again at a retry. Other spans may succeed. */
export class EngineCrashed extends Error {
  override name = 'EngineCrashed';
}
