import { Type } from 'typebox';
import { idParam } from '../read-params.ts';

/** Parameters of all operations on one library at the second address. */
export const CoreLibraryParams = Type.Object({ id: idParam('library') });
