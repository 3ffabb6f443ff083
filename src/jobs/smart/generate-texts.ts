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
  /** Read only where the texts are extracted. */
  readEvidence: () => Promise<Evidence>;
};

/** Texts of a video, by the model where there is one, else taken out of what is said; lines say what went wrong. */
export async function generateTexts(
  { features, transcript, model, readEvidence }: Wanted,
  signal: AbortSignal,
): Promise<{ values: GeneratedTexts; messages: MediaMessage[] }> {
  if (model === null) return { values: extractTexts(features, transcript, await readEvidence()), messages: [] };
  const request = {
    name: 'video_texts',
    instructions: answerInstructions(features, transcript),
    data: transcriptData(transcript),
    schema: answerSchema(features),
  };
  const read = (answer: string) => readModelAnswer(answer, features, transcript);
  try {
    return { values: await askModel(model, { request, read }, signal), messages: [] };
  } catch (error) {
    if (!(error instanceof BadModelAnswer)) throw error;
    const { message } = error;
    const text = `The language model gave no usable answer (${message}), so texts were taken out of what is said.`;
    const values = extractTexts(features, transcript, await readEvidence());
    return { values, messages: [warningMessage(text, new Date())] };
  }
}

/** A feature for which nothing can be made of what is said is left out. */
function extractTexts(features: readonly SmartFeature[], transcript: Transcript, evidence: Evidence): GeneratedTexts {
  const values: GeneratedTexts = {};
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
    if (values[feature]?.length === 0) delete values[feature];
  }
  return values;
}
