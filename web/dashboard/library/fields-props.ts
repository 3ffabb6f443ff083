import type { VideoLibraryModel } from '../../../src/api/models/video-library.ts';

export type Changes = Record<string, string | boolean | number | string[]>;

/** Properties of a form section: the library with unsaved changes, and a function to change it. */
export type FieldsProps = {
  libraryId: number;
  library: VideoLibraryModel;
  change: (field: string, to: Changes[string]) => void;
};
