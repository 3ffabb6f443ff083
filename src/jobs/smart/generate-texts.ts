import { warningMessage } from '../../catalog/lifecycle/messages.ts';
import type { MediaMessage } from '../../catalog/schema.ts';
import type { SmartFeature } from '../../catalog/smart/smart-schema.ts';
import { makeChapters } from '../../media/transcript/chapters.ts';
import { makeDescription, makeTitle } from '../../media/transcript/headline.ts';
import {
  answerInstructions,
  answerSchema,
  BadModelAnswer,
  type GeneratedTexts,
  readModelAnswer,
  transcriptData,
} from '../../media/transcript/model-answer.ts';
import { makeMoments } from '../../media/transcript/moments.ts';
import type { Evidence, Transcript } from '../../media/transcript/transcript.ts';
import type { LanguageModel } from '../../ports/language-model.ts';
import { askModel } from '../speech/ask-model.ts';

type Wanted = {
  features: readonly SmartFeature[];
  transcript: Transcript;
  model: LanguageModel | null;
  /** Called only if the texts are extracted. */
  readEvidence: () => Promise<Evidence>;
};

type Generated = { values: GeneratedTexts; messages: MediaMessage[]; isExtracted: boolean };

/**
 * Returns texts of a video, made by the model if there is one, else extracted from the speech. Lines report what went
 * wrong.
 */
export async function generateTexts(
  { features, transcript, model, readEvidence }: Wanted,
  signal: AbortSignal,
): Promise<Generated> {
  if (model === null) return extractTexts(features, transcript, await readEvidence());
  const request = {
    name: 'video_texts',
    instructions: answerInstructions(features, transcript),
    data: transcriptData(transcript),
    schema: answerSchema(features),
  };
  const read = (answer: string) => readModelAnswer(answer, features, transcript);
  try {
    return { values: await askModel(model, { request, read }, signal), messages: [], isExtracted: false };
  } catch (error) {
    if (!(error instanceof BadModelAnswer)) throw error;
    const { message } = error;
    const text = `The language model gave no usable answer (${message}), so texts were taken out of what is said.`;
    const { messages, ...extracted } = extractTexts(features, transcript, await readEvidence());
    return { ...extracted, messages: [warningMessage(text, new Date()), ...messages] };
  }
}

/** Reason why no text was extracted for a feature. */
const NOTHING_FOUND: Readonly<Record<SmartFeature, string>> = {
  title: 'No title was generated: the captions have no whole sentence that can stand alone as a title.',
  description: 'No description was generated: the captions have no whole sentences.',
  chapters: 'No chapters were generated: what is said is too short or has one topic.',
  moments: 'No moments were generated: the captions have no words to name them by.',
};

/** Omits features for which the speech yields nothing, with a line that gives the reason. */
function extractTexts(features: readonly SmartFeature[], transcript: Transcript, evidence: Evidence): Generated {
  const values: GeneratedTexts = {};
  const messages: MediaMessage[] = [];
  for (const feature of features) {
    switch (feature) {
      case 'title':
        values.title = makeTitle(transcript);
        break;
      case 'description':
        values.description = makeDescription(transcript);
        break;
      case 'chapters':
        values.chapters = makeChapters(transcript, evidence);
        break;
      case 'moments':
        values.moments = makeMoments(transcript, evidence);
        break;
    }
    if (values[feature]?.length !== 0) continue;
    delete values[feature];
    messages.push(warningMessage(NOTHING_FOUND[feature], new Date()));
  }
  return { values, messages, isExtracted: true };
}
