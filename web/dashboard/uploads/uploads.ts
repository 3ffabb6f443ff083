import { signal } from '@preact/signals';
import { Upload } from 'tus-js-client';
import { api, describeError } from '../base/api.ts';
import { prefix } from '../base/router.ts';

/** A file on its way; it stays in the list until it is dismissed. */
export type UploadItem = {
  id: number;
  libraryId: number;
  file: File;
  videoId: string | null;
  sentBytes: number;
  state: 'waiting' | 'sending' | 'paused' | 'done' | 'failed';
  error: string | null;
};

type Signature = {
  LibraryId: string;
  VideoId: string;
  AuthorizationExpire: string;
  AuthorizationSignature: string;
};

/** Files sent at the same time; the others wait. */
const MOST_AT_ONCE = 2;
const RETRY_MS = [0, 1_000, 3_000, 10_000, 30_000];
/** A signature is made anew when less than this is left of it. */
const RENEW_SEC = 300;
/** Bytes in one request: what a lost connection costs at most. */
const PIECE_BYTES = 16 * 2 ** 20;

export const uploads = signal<readonly UploadItem[]>([]);
const running = new Map<number, Upload>();
let lastId = 0;

export function addFiles(libraryId: number, files: Iterable<File>): void {
  const added = [...files].map((file): UploadItem => {
    lastId += 1;
    return { id: lastId, libraryId, file, videoId: null, sentBytes: 0, state: 'waiting', error: null };
  });
  uploads.value = [...uploads.value, ...added];
  startNext();
}

export function pause(id: number): void {
  change(id, { state: 'paused' });
  running
    .get(id)
    ?.abort()
    .catch(() => undefined);
  running.delete(id);
  startNext();
}

/** Goes on where it was, also after a failure: the service knows how much it has. */
export function resume(id: number): void {
  change(id, { state: 'waiting', error: null });
  startNext();
}

export function dismiss(id: number): void {
  pause(id);
  uploads.value = uploads.value.filter((item) => item.id !== id);
}

function startNext(): void {
  const free = MOST_AT_ONCE - uploads.value.filter(({ state }) => state === 'sending').length;
  for (const item of uploads.value.filter(({ state }) => state === 'waiting').slice(0, Math.max(0, free))) {
    change(item.id, { state: 'sending' });
    send(item).catch((error: unknown) => fail(item.id, error));
  }
}

async function send({ id, libraryId, file, videoId: known }: UploadItem): Promise<void> {
  const videoId = known ?? (await createVideo(libraryId, file.name));
  change(id, { videoId });
  let signature = await sign(libraryId, videoId);
  if (find(id)?.state !== 'sending') return;
  const upload = new Upload(file, {
    endpoint: `${prefix}/tusupload`,
    retryDelays: RETRY_MS,
    chunkSize: PIECE_BYTES,
    metadata: { filetype: file.type, title: titleOf(file.name) },
    fingerprint: async () => `millrace/${libraryId}/${videoId}`,
    removeFingerprintOnSuccess: true,
    async onBeforeRequest(request) {
      if (Number(signature.AuthorizationExpire) - Date.now() / 1000 < RENEW_SEC)
        signature = await sign(libraryId, videoId);
      for (const [name, value] of Object.entries(signature)) request.setHeader(name, value);
    },
    onProgress: (sentBytes) => change(id, { sentBytes }),
    onSuccess() {
      running.delete(id);
      change(id, { state: 'done', sentBytes: file.size });
      startNext();
    },
    onError: (error) => fail(id, error),
  });
  running.set(id, upload);
  const [earlier] = await upload.findPreviousUploads();
  if (earlier !== undefined) upload.resumeFromPreviousUpload(earlier);
  upload.start();
}

async function createVideo(libraryId: number, fileName: string): Promise<string> {
  const { guid } = await api<{ guid: string }>('POST', `/library/${libraryId}/videos`, { title: titleOf(fileName) });
  return guid;
}

function sign(libraryId: number, videoId: string): Promise<Signature> {
  return api<Signature>('POST', `/dashboard/libraries/${libraryId}/videos/${videoId}/upload-signature`);
}

function titleOf(fileName: string): string {
  return fileName.replace(/\.[^.]{1,5}$/, '').replaceAll('_', ' ') || fileName;
}

function fail(id: number, error: unknown): void {
  running.delete(id);
  change(id, { state: 'failed', error: describeError(error) });
  startNext();
}

function find(id: number): UploadItem | undefined {
  return uploads.value.find((item) => item.id === id);
}

function change(id: number, changes: Partial<UploadItem>): void {
  uploads.value = uploads.value.map((item) => (item.id === id ? { ...item, ...changes } : item));
}

// Whoever closes the page is asked first while a file is on its way.
addEventListener('beforeunload', (event) => {
  if (uploads.value.some(({ state }) => state === 'sending' || state === 'waiting')) event.preventDefault();
});
