import type { VideoLibraryModel } from '../../../src/api/models/video-library.ts';

export type Changes = Record<string, string | boolean | number | string[]>;

/** What a section of the form is given: the library with the changes of now, and how to change it. */
export type FieldsProps = {
  libraryId: number;
  library: VideoLibraryModel;
  change: (field: string, to: Changes[string]) => void;
};
