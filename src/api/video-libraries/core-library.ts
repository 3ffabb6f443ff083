import { Type } from 'typebox';
import { idParam } from '../read-params.ts';

/** Path parameters of operations on one library in the account API. */
export const CoreLibraryParams = Type.Object({ id: idParam('library') });
