import { expect, test } from 'vitest';
import { findSileroDetector } from '../../src/adapters/voice-detector/silero-detector.ts';
import { cutVoiceSpans } from '../../src/media/speech/cut-voice-spans.ts';
import { makeSamples, readSamples, silence } from '../support/samples.ts';
import { LIBRIVOX } from '../support/speech.ts';

const RATE = 16_000;
const never = new AbortController().signal;
/** Trims the silence before and after the speech. */
const TRIM =
  'silenceremove=start_periods=1:start_threshold=-38dB,areverse,' +
  'silenceremove=start_periods=1:start_threshold=-38dB,areverse';
const CHORDS =
  '0.25*sin(2*PI*262*t)+0.2*sin(2*PI*330*t)+0.2*sin(2*PI*392*t)*(1+sin(4*PI*t))/2' +
  '+0.15*sin(2*PI*524*t*(1+0.25*floor(mod(t,4))))';

/** Returns the start and end of each span, in seconds. Samples arrive in pieces of irregular size, as from decoders. */
async function cut(samples: Buffer): Promise<[number, number][]> {
  const detector = findSileroDetector();
  if (detector === null) throw new Error('Expected sherpa-onnx-node and @ricky0123/vad-web to be installed.');
  const detection = await detector.open(never);
  try {
    const spans: [number, number][] = [];
    const find = (block: Buffer, isLast: boolean) => detection.feed(block, isLast);
    for await (const span of cutVoiceSpans(pieces(samples), RATE, find)) {
      spans.push([span.startSec, span.startSec + span.samples.length / 2 / RATE]);
      const from = Math.round(span.startSec * RATE) * 2;
      expect(span.samples.equals(samples.subarray(from, from + span.samples.length))).toBe(true);
    }
    return spans;
  } finally {
    detection.close();
  }
}

async function* pieces(samples: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < samples.length; at += 7_777) yield samples.subarray(at, at + 7_777);
}

test.each([
  ['silence', 'anullsrc=r=16000:cl=mono:d=8'],
  ['white noise', 'anoisesrc=d=8:c=white:a=0.3:r=16000:s=7'],
  ['pink noise', 'anoisesrc=d=8:c=pink:a=0.3:r=16000:s=7'],
  ['chords', `aevalsrc='${CHORDS}':d=12:s=16000`],
])('detects no speech in %s', async (_, source) => {
  expect(await cut(await makeSamples(source))).toEqual([]);
});

test('spans begin and end within 300 ms of the speech, and pauses separate them', async () => {
  const [first, second] = [await readSamples(LIBRIVOX.short.path, TRIM), await readSamples(LIBRIVOX.long.path, TRIM)];
  const sound = Buffer.concat([silence(2), first, silence(2.5), second, silence(2)]);
  const [a, b] = [first.length / 2 / RATE, second.length / 2 / RATE];
  const said = [2, 2 + a, 4.5 + a, 4.5 + a + b];
  const spans = await cut(sound);
  expect(spans).toHaveLength(2);
  for (const [index, sec] of spans.flat().entries())
    expect(Math.abs(sec - (said[index] ?? 0))).toBeLessThanOrEqual(0.3);
});

test('splits speech without a pause into spans that an engine accepts', async () => {
  const sentence = await readSamples(LIBRIVOX.long.path, TRIM);
  const sound = Buffer.concat(Array.from({ length: 12 }, () => sentence));
  const spans = await cut(sound);
  expect(spans.length).toBeGreaterThan(1);
  for (const [startSec, endSec] of spans) expect(endSec - startSec).toBeLessThanOrEqual(25);
  const spoken = spans.reduce((sum, [startSec, endSec]) => sum + endSec - startSec, 0);
  expect(spoken).toBeGreaterThan((0.9 * sound.length) / 2 / RATE);
});
