import { cancelExport, resumeExport } from './control-export.ts';
import { createExport } from './create-export.ts';
import { getExport, listExports } from './get-export.ts';
import { getVideoExtras } from './get-video-extras.ts';
import { getLibrarySettings, restoreLibrarySettings } from './library-settings.ts';

/** Operations on exports of a library that run in the service, and on what exports carry beyond the hosted API. */
export const exportOperations = [
  createExport,
  listExports,
  getExport,
  cancelExport,
  resumeExport,
  getVideoExtras,
  getLibrarySettings,
  restoreLibrarySettings,
] as const;
