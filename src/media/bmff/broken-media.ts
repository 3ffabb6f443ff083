/**
 * Thrown for invalid media bytes: a damaged box, a missed cut, a wrong hash. The message states what was expected and
 * what was received. It is never the caller's fault, because the bytes are from a file, an encoder or the store.
 */
export class BrokenMedia extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BrokenMedia';
  }
}
