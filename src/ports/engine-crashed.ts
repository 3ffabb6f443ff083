/** An engine's process ended at a span, and at another try too: another span may do. */
export class EngineCrashed extends Error {
  override name = 'EngineCrashed';
}
