import { model, text } from './fields.ts';

/** A player's request (SPC) in base64. */
export const FairPlayRequest = model('FairPlayRequest', { spc: text() });

/** The licence (CKC) in base64. */
export const FairPlayLicence = model('FairPlayLicence', { ckc: text() });
