import { Refused } from '../lib/refused.ts';
import type { CaptionValidationModel } from './models/status.ts';

/** A refusal (`invalid`) of a caption file, with all errors found in the file. */
export class RefusedCaptions extends Refused {
  readonly validation: CaptionValidationModel;

  constructor(message: string, validation: CaptionValidationModel) {
    super('invalid', message);
    this.name = 'RefusedCaptions';
    this.validation = validation;
  }
}
