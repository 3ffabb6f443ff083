import { Refused } from '../lib/refused.ts';

/** A refusal (`range`) of a Range header that names no byte of a file of `sizeBytes`. */
export class RefusedRange extends Refused {
  readonly sizeBytes: number;

  constructor(sizeBytes: number) {
    super('range', `Expected a range within the ${sizeBytes} bytes of the file, got one past its end. Correct it.`);
    this.name = 'RefusedRange';
    this.sizeBytes = sizeBytes;
  }
}
