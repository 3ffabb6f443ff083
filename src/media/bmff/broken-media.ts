/**
 * Invalid media bytes: a damaged box, a missed cut, a wrong hash. The message says what was expected and what was
 * received. Never the caller's fault: the bytes came from a file, an encoder or the store.
 */
export class BrokenMedia extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BrokenMedia';
  }
}
