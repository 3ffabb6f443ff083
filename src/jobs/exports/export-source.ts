import type { RemoteFile } from './transfer-fault.ts';

/** Fields of a video that an export needs. It writes all others too. */
export type ExportedVideo = {
  guid: string;
  title: string;
  status: number;
  length: number;
  captions: readonly { srclang?: string | null }[];
  thumbnailFileName: string | null;
  hasOriginal: boolean | null;
  originalHash: string | null;
  hasMP4Fallback: boolean;
  /** Bytes of all stored files of the video. */
  storageSize: number;
  availableResolutions: string;
};

/** A file of a video. */
export type ExportedFile =
  | { kind: 'original' }
  | { kind: 'mp4'; heightPx: number }
  | { kind: 'audio' }
  | { kind: 'captions'; srclang: string }
  | { kind: 'thumbnail'; fileName: string };

/** Fields that the hosted API does not have. `generatedCaptions` were made from speech. */
export type ExportedExtras = {
  thumbnailTime: number | null;
  generatedCaptions: readonly { srclang: string; translatedFrom: string | null }[];
  /** Views and watch time of each UTC day. */
  statistics: readonly { day: string; views: number; watchTime: number }[];
};

/** Fields of a collection that an export writes, in the form of the API. `videoIds` are those of a manual order. */
export type ExportedCollection = { guid: string; name: string; videoOrder: string; videoIds: string[] };

export type ExportedReply = {
  guid: string;
  text: string;
  authorName: string;
  authorKind: string;
  dateCreated: string;
  dateEdited: string | null;
};
/** A review comment in the form of the API. Other fields are not written. */
export type ExportedComment = ExportedReply & {
  time: number;
  isResolved: boolean;
  resolvedBy: string | null;
  dateResolved: string | null;
  replies: ExportedReply[];
};

/** Values by day, with the days as in the API. */
type Chart = Readonly<Record<string, number>> | null;

/** A library that is exported. The command line reads it over the API, and a worker reads its database. */
export type ExportSource = {
  collections(): AsyncIterable<ExportedCollection>;
  /** Returns all review comments of a video, at most 1,000. */
  comments(guid: string): Promise<readonly ExportedComment[]>;
  extras(guid: string): Promise<ExportedExtras>;
  /** Settings of the library without secrets, in the form of the API. */
  settings(): Promise<object>;
  /** Views and watch time of each day. */
  statistics(): Promise<{ viewsChart?: Chart; watchTimeChart?: Chart }>;
  file(video: ExportedVideo, file: ExportedFile): RemoteFile;
};
