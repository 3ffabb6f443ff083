import { Type } from 'typebox';
import { idParam } from '../read-params.ts';

/** What all operations on one library at the second address share. */
export const CoreLibraryParams = Type.Object({ id: idParam('library') });
