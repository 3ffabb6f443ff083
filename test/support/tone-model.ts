import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

// A recogniser small enough for tests to create: a sherpa-onnx CTC model in the Zipformer layout whose two words are a
// low and a high tone. The real library runs it, with real features, times and vocabulary (ONNX IR, onnx.proto3).

const FLOAT = 1;
const INT64 = 7;
const BINS = 80;
const VOCABULARY = ['<blk>', '▁low', '▁high'];
/** Mel bins of the two tones: 300 to 700 Hz, and 2,500 to 3,500 Hz. */
const LOW = [9, 17] as const;
const HIGH = [48, 58] as const;

/** Writes the files of the model into a folder, which it creates. */
export async function writeToneModel(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'tokens.txt'), `${VOCABULARY.map((token, id) => `${token} ${id}`).join('\n')}\n`);
  await writeFile(join(folder, 'model.onnx'), toneModel());
}

function toneModel(): Buffer {
  const weights = new Float32Array(BINS * VOCABULARY.length);
  for (const [word, [from, to]] of [LOW, HIGH].entries()) {
    for (let bin = from; bin <= to; bin += 1) weights[bin * VOCABULARY.length + word + 1] = 1 / (to - from + 1);
  }
  const nodes = [
    node('Slice', ['x', 'starts', 'ends', 'axes', 'steps'], 'each_fourth'),
    node('MatMul', ['each_fourth', 'weights'], 'sums'),
    node('Add', ['sums', 'bias'], 'logits'),
    node('LogSoftmax', ['logits'], 'log_probs', [bytes(5, [text(1, 'axis'), int(3, 2), int(20, 2)])]),
    node('Div', ['x_lens', 'four'], 'log_probs_len'),
  ];
  const initializers = [
    tensor('weights', FLOAT, [BINS, VOCABULARY.length], weights),
    // With this bias, the blank token has the highest score if both tones are quiet.
    tensor('bias', FLOAT, [VOCABULARY.length], Float32Array.of(0, 4, 4)),
    tensor('starts', INT64, [1], BigInt64Array.of(0n)),
    tensor('ends', INT64, [1], BigInt64Array.of(1_000_000n)),
    tensor('axes', INT64, [1], BigInt64Array.of(1n)),
    tensor('steps', INT64, [1], BigInt64Array.of(4n)),
    tensor('four', INT64, [1], BigInt64Array.of(4n)),
  ];
  const inputs = [value(11, 'x', FLOAT, ['N', 'T', BINS]), value(11, 'x_lens', INT64, ['N'])];
  const outputs = [
    value(12, 'log_probs', FLOAT, ['N', 'U', VOCABULARY.length]),
    value(12, 'log_probs_len', INT64, ['N']),
  ];
  const graph = bytes(7, [...nodes, text(2, 'tones'), ...initializers, ...inputs, ...outputs]);
  const metadata = bytes(14, [text(1, 'model_type'), text(2, 'zipformer2_ctc')]);
  return Buffer.concat([int(1, 8), graph, bytes(8, [text(1, ''), int(2, 13)]), metadata]);
}

function node(operator: string, inputs: readonly string[], output: string, attributes: Buffer[] = []): Buffer {
  return bytes(1, [...inputs.map((name) => text(1, name)), text(2, output), text(4, operator), ...attributes]);
}

function tensor(name: string, type: number, dims: readonly number[], data: Float32Array | BigInt64Array): Buffer {
  const raw = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return bytes(5, [...dims.map((dim) => int(1, dim)), int(2, type), text(8, name), bytes(9, [raw])]);
}

function value(field: number, name: string, type: number, dims: readonly (string | number)[]): Buffer {
  const shape = dims.map((dim) => bytes(1, [typeof dim === 'number' ? int(1, dim) : text(2, dim)]));
  return bytes(field, [text(1, name), bytes(2, [bytes(1, [int(1, type), bytes(2, shape)])])]);
}

function text(field: number, value: string): Buffer {
  return bytes(field, [Buffer.from(value)]);
}

/** Encodes a length-delimited field (wire type 2). */
function bytes(field: number, parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([varint(field * 8 + 2), varint(body.length), body]);
}

function int(field: number, value: number): Buffer {
  return Buffer.concat([varint(field * 8), varint(value)]);
}

function varint(value: number): Buffer {
  const out: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) out.push((rest % 128) + 128);
  return Buffer.from([...out, rest]);
}
