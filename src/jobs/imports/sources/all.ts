import type { ImportSourceName } from '../../../catalog/imports/library-import.ts';
import type { ImportSource } from '../import-source.ts';
import { bunny } from './bunny.ts';
import { millrace } from './millrace.ts';
import { upload } from './upload.ts';

/** All places that videos can be imported from. */
export const importSources: Readonly<Record<ImportSourceName, ImportSource>> = { bunny, millrace, upload };
