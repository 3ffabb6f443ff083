import { Refused } from '../lib/refused.ts';
import type { CaptionValidationModel } from './models/status.ts';

/** A refusal of a caption file (`invalid`) with all faults found in it. */
export class RefusedCaptions extends Refused {
  readonly validation: CaptionValidationModel;

  constructor(message: string, validation: CaptionValidationModel) {
    super('invalid', message);
    this.name = 'RefusedCaptions';
    this.validation = validation;
  }
}
