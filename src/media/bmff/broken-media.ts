/**
 * Media bytes that are not what they must be: a damaged box, a missed cut, a hash that differs. The
 * message says what was expected and what came. It is never the caller's doing: the bytes came from a
 * file, an encoder or the store.
 */
export class BrokenMedia extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BrokenMedia';
  }
}
