import { Type } from 'typebox';
import { captionLabel, readCaptionLanguage } from '../../catalog/captions/caption.ts';
import type { CaptionStore } from '../../catalog/captions/caption-store.ts';
import type { Db } from '../../catalog/db.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import type { CaptionTrack } from '../../catalog/schema.ts';
import type { Queue } from '../../jobs/queue/define-job.ts';
import { indexCaptions } from '../../jobs/speech/index-captions.ts';
import { Refused } from '../../lib/refused.ts';
import { writeVtt } from '../../media/captions/cue.ts';
import { decodeBase64, decodeCaptions } from '../../media/captions/decode-captions.ts';
import { readCaptions } from '../../media/captions/read-captions.ts';
import type { Storage } from '../../ports/storage.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { type CaptionValidationModel, StatusModelOfCaptionValidationModel } from '../models/status.ts';
import { CaptionModelAdd } from '../models/video.ts';
import { queryText, queryWord } from '../read-query.ts';
import { RefusedCaptions } from '../refused-captions.ts';
import { VideoParams } from './video-model.ts';

const MAX_FILE_BYTES = 5 * 2 ** 20;
/** Base64 needs four bytes for every three. The rest is for line breaks and the other fields. */
const BODY_LIMIT_BYTES = 8 * 2 ** 20;

/** Path parameters of the captions of one language. */
export const CaptionParams = Type.Object({
  ...VideoParams.properties,
  srclang: Type.String({ title: 'language', description: 'Language code of the captions, such as `en` or `pt-BR`.' }),
});

type Deps = { captions: CaptionStore; storage: Storage; db: Db; queue: Queue };
type CheckedFile = { vtt: Buffer; validation: CaptionValidationModel };

export const addCaption = defineOperation({
  name: 'addCaption',
  method: 'POST',
  path: '/library/{libraryId}/videos/{videoId}/captions/{srclang}',
  description:
    'Adds or replaces the captions of a language from a base64-encoded SubRip or WebVTT file. The response lists ' +
    'the corrections that were made to the file.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: CaptionParams,
  query: Type.Object({ origin: queryWord('', ['speech']), translatedFrom: queryText() }),
  body: CaptionModelAdd,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  answer: StatusModelOfCaptionValidationModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  errorShape: 'captions',
  async run({ params, query, body, signal }, { captions, storage, db, queue }: Deps) {
    const key = { libraryId: params.libraryId, mediaId: params.videoId };
    const srclang = readCaptionLanguage(params.srclang);
    const { vtt, validation } = checkFile(body.captionsFile ?? '', srclang);
    const { version, objectKey } = await captions.reserve(key, srclang);
    await storage.put(objectKey, vtt, { contentType: 'text/vtt; charset=utf-8' }, signal);
    const track = { srclang, label: captionLabel(body.label, srclang), version, key: objectKey, ...originOf(query) };
    await captions.put(key, { ...track, sizeBytes: vtt.length }).catch(async (error: unknown) => {
      // After any other error the commit may have succeeded. If it did not, the orphan sweep deletes the object.
      if (error instanceof Refused) await storage.delete([objectKey]);
      throw error;
    });
    // If this fails, the captions are indexed within a minute.
    await inTransaction(db, queue.send(indexCaptions, {}, { onlyOneNamed: 'now' }));
    return { ...ok(), data: validation };
  },
});

type Query = { origin: 'speech' | ''; translatedFrom: string };

/** Returns the origin of generated captions, which a transcription may replace. Nothing for those of people. */
function originOf({ origin, translatedFrom }: Query): Pick<CaptionTrack, 'origin' | 'translatedFrom'> {
  if (origin === '') return {};
  return { origin, ...(translatedFrom !== '' && { translatedFrom: readCaptionLanguage(translatedFrom) }) };
}

function checkFile(base64: string, srclang: string): CheckedFile {
  const bytes = decodeBase64(base64);
  if (bytes === null || bytes.length === 0) {
    const received = bytes === null ? 'text that is not base64' : 'none';
    throw refusal(
      `Expected a SubRip or WebVTT file as base64 in captionsFile, got ${received}. Encode the file and send it again.`,
    );
  }
  if (bytes.length > MAX_FILE_BYTES) {
    throw refusal(
      `Expected a caption file of at most ${MAX_FILE_BYTES} bytes, got ${bytes.length}. Send a shorter one.`,
    );
  }
  const decoded = decodeCaptions(bytes, srclang);
  const { cues, errors, warnings: found } = readCaptions(decoded.text);
  const warnings = [...decoded.warnings, ...found];
  if (errors.length > 0) {
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    throw refusal(
      `The captions cannot be read: ${errors[0]}${more} Correct the file and send it again.`,
      errors,
      warnings,
    );
  }
  return { vtt: Buffer.from(writeVtt(cues)), validation: describe([], warnings) };
}

function refusal(message: string, errors: string[] = [message], warnings: string[] = []): RefusedCaptions {
  return new RefusedCaptions(message, describe(errors, warnings));
}

function describe(errorList: string[], warningList: string[]): CaptionValidationModel {
  const count = warningList.length;
  const warningMessage =
    count === 0
      ? ''
      : `${count} ${count === 1 ? 'part of the file was' : 'parts of the file were'} left out or corrected.`;
  return { valid: errorList.length === 0, errorList, warningList, warningMessage };
}
