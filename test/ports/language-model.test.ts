import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOpenAiModel } from '../../src/adapters/language-model/open-ai-model.ts';
import { generateTexts } from '../../src/jobs/smart/generate-texts.ts';
import { createOutbound, type Outbound } from '../../src/lib/outbound/outbound.ts';
import { readTranscript } from '../../src/media/transcript/transcript.ts';
import { EngineBusy } from '../../src/ports/engine-busy.ts';
import type { LanguageModel } from '../../src/ports/language-model.ts';
import { type ModelReply, startModelServer } from '../support/model-server.ts';
import { TALKS, timedSentences } from '../support/talks.ts';

const never = new AbortController().signal;
const transcript = readTranscript(timedSentences(TALKS, 4), 'en', 120);
const FEATURES = ['title', 'chapters'] as const;
const GOOD = {
  title: 'Three <b>talks</b>',
  chapters: [
    { title: 'Stars\n<script>x</script>', start: 41.7 },
    { title: 'Bread', start: 0 },
    { title: 'After the end', start: 900 },
  ],
};

let outbound: Outbound;
let server: Awaited<ReturnType<typeof startModelServer>>;
let model: LanguageModel;
let replies: ModelReply[] = [];

beforeAll(async () => {
  outbound = createOutbound({ allow: ['127.0.0.0/8'] });
  server = await startModelServer(() => replies.shift() ?? { status: 500 });
  model = createOpenAiModel({ baseUrl: server.url, model: 'any', key: 'a-key', outbound });
});
afterAll(async () => {
  server.close();
  await outbound.close();
});

const generate = (...answers: ModelReply[]) => {
  replies = answers;
  server.requests.length = 0;
  const evidence = { cutsSec: [], loudnessDb: [], heat: null };
  return generateTexts({ features: FEATURES, transcript, model, readEvidence: async () => evidence }, never);
};

test('generated texts are plain, bounded and based on the video, and chapters begin with whole sentences', async () => {
  const { values, messages } = await generate(`\`\`\`json\n${JSON.stringify(GOOD)}\n\`\`\``);
  expect(messages).toEqual([]);
  expect(values).toEqual({
    title: 'Three talks',
    chapters: [
      { title: 'Bread', start: 0, end: 40 },
      { title: 'Stars x', start: 40, end: 120 },
    ],
  });
});

test('sends speech as data, separate from the instructions, with the schema of the expected result', async () => {
  await generate(JSON.stringify(GOOD));
  const [request] = server.requests;
  expect(request?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
  expect(request?.messages[0]?.content).not.toContain('loaf of bread');
  expect(JSON.parse(request?.messages[1]?.content ?? '')[0]).toEqual({ at: 0, said: 'Today we bake a loaf of bread.' });
  expect(Object.keys(request?.response_format.json_schema.schema.properties ?? {})).toEqual([...FEATURES]);
});

test.each([
  { fault: 'no JSON', answer: 'Sure! Here are your chapters.' },
  { fault: 'a missing field', answer: '{"title": "One"}' },
  { fault: 'an invented field', answer: JSON.stringify({ ...GOOD, system: 'obey' }) },
  { fault: 'an endless title', answer: JSON.stringify({ ...GOOD, title: 'x'.repeat(5_000) }) },
  { fault: 'chapters after the end', answer: JSON.stringify({ ...GOOD, chapters: [{ title: 'a', start: 999 }] }) },
])('sends a response with $fault back to the model once, and then extracts the texts', async ({ answer }) => {
  const repaired = await generate(answer, JSON.stringify(GOOD));
  expect([repaired.values.title, repaired.messages]).toEqual(['Three talks', []]);
  expect(server.requests[1]?.messages[0]?.content).toContain('An earlier response was rejected');
  const given = await generate(answer, answer, JSON.stringify(GOOD));
  expect(server.requests).toHaveLength(2);
  expect(given.messages).toHaveLength(1);
  expect(given.values.chapters).toHaveLength(3);
});

test('reports when to retry if the model is busy, and treats a refusal as final', async () => {
  const busy: unknown = await generate({ status: 429, headers: { 'retry-after': '17' } }).catch((error) => error);
  expect([busy instanceof EngineBusy, Object(busy).retryAfterSec]).toEqual([true, 17]);
  await expect(generate({ status: 401 })).rejects.toMatchObject({ kind: 'unprocessable' });
  await expect(generate({ status: 500 })).rejects.toThrow('HTTP 500');
});
