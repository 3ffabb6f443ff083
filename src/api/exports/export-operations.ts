import { cancelExport, resumeExport } from './control-export.ts';
import { createExport } from './create-export.ts';
import { getExport, listExports } from './get-export.ts';

/** Operations on exports of a library that run in the service. */
export const exportOperations = [createExport, listExports, getExport, cancelExport, resumeExport] as const;
