import type { ImportSourceName } from '../../../catalog/imports/library-import.ts';
import type { ImportSource } from '../import-source.ts';
import { bunny } from './bunny.ts';
import { cloudflare } from './cloudflare.ts';
import { mediacms } from './mediacms.ts';
import { millrace } from './millrace.ts';
import { mux } from './mux.ts';
import { peertube } from './peertube.ts';
import { s3 } from './s3.ts';
import { upload } from './upload.ts';
import { vimeo } from './vimeo.ts';

/** All sources of imports. */
export const importSources: Readonly<Record<ImportSourceName, ImportSource>> = {
  bunny,
  millrace,
  s3,
  peertube,
  mux,
  cloudflare,
  vimeo,
  mediacms,
  upload,
};
