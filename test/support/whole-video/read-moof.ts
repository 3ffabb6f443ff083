/** Times of a media segment, read from its boxes (ISO 14496-12) without the code under test. */
export type SegmentTimes = {
  baseTick: number;
  durationTicks: number;
  samples: number;
  firstCtsTicks: number;
  shortestTicks: number;
};

type Box = { type: string; body: Buffer };

/** Returns the boxes of one level, with sizes checked. */
export function readBoxes(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at < bytes.length; ) {
    const sizeBytes = bytes.readUInt32BE(at);
    if (sizeBytes < 8 || at + sizeBytes > bytes.length) throw new Error(`A box at ${at} claims ${sizeBytes} bytes.`);
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), body: bytes.subarray(at + 8, at + sizeBytes) });
    at += sizeBytes;
  }
  return boxes;
}

/** Follows a path of box types. Returns the body of the first match. */
export function findBox(bytes: Buffer, ...path: string[]): Buffer {
  const [type = '', ...rest] = path;
  const found = readBoxes(bytes).find((box) => box.type === type);
  if (found === undefined) throw new Error(`Expected a box ${type}.`);
  return rest.length === 0 ? found.body : findBox(found.body, ...rest);
}

/** Returns the ticks per second of an init segment's only track (`mdhd`). */
export function readTimescale(init: Buffer): number {
  const mdhd = findBox(init, 'moov', 'trak', 'mdia', 'mdhd');
  return mdhd.readUInt32BE(mdhd.readUInt8(0) === 1 ? 20 : 12);
}

/** Reads all fragments of a segment. Each must begin where the previous one ended. */
export function readSegmentTimes(segment: Buffer): SegmentTimes {
  const fragments = readBoxes(segment)
    .filter(({ type }) => type === 'moof')
    .map(({ body }) => readFragmentTimes(findBox(body, 'traf')));
  const [first] = fragments;
  if (first === undefined) throw new Error('Expected a movie fragment in a segment.');
  const whole = { ...first };
  for (const fragment of fragments.slice(1)) {
    const endTick = whole.baseTick + whole.durationTicks;
    if (fragment.baseTick !== endTick) throw new Error(`A fragment begins at ${fragment.baseTick}, not at ${endTick}.`);
    whole.durationTicks += fragment.durationTicks;
    whole.samples += fragment.samples;
    whole.shortestTicks = Math.min(whole.shortestTicks, fragment.shortestTicks);
  }
  return whole;
}

function readFragmentTimes(traf: Buffer): SegmentTimes {
  const tfdt = findBox(traf, 'tfdt');
  const baseTick = tfdt.readUInt8(0) === 1 ? Number(tfdt.readBigUInt64BE(4)) : tfdt.readUInt32BE(4);
  const defaultTicks = readDefaultDuration(findBox(traf, 'tfhd'));
  const runs = readBoxes(traf).filter(({ type }) => type === 'trun');
  const times = runs.map(({ body }) => readRun(body, defaultTicks));
  return {
    baseTick,
    durationTicks: times.reduce((sum, run) => sum + run.durationTicks, 0),
    samples: times.reduce((sum, run) => sum + run.samples, 0),
    firstCtsTicks: times[0]?.firstCtsTicks ?? 0,
    shortestTicks: Math.min(...times.map((run) => run.shortestTicks)),
  };
}

function readDefaultDuration(tfhd: Buffer): number {
  const flags = tfhd.readUIntBE(1, 3);
  if ((flags & 0x8) === 0) return 0;
  return tfhd.readUInt32BE(8 + ((flags & 0x1) === 0 ? 0 : 8) + ((flags & 0x2) === 0 ? 0 : 4));
}

function readRun(trun: Buffer, defaultTicks: number): Omit<SegmentTimes, 'baseTick'> {
  const flags = trun.readUIntBE(1, 3);
  const samples = trun.readUInt32BE(4);
  const fields = [0x100, 0x200, 0x400, 0x800].filter((flag) => (flags & flag) !== 0);
  let at = 8 + ((flags & 0x1) === 0 ? 0 : 4) + ((flags & 0x4) === 0 ? 0 : 4);
  const ctsAt = fields.indexOf(0x800) * 4;
  const firstCtsTicks = ctsAt < 0 ? 0 : trun.readInt32BE(at + ctsAt);
  let durationTicks = 0;
  let shortestTicks = Number.POSITIVE_INFINITY;
  for (let sample = 0; sample < samples; sample += 1) {
    const ticks = fields[0] === 0x100 ? trun.readUInt32BE(at) : defaultTicks;
    durationTicks += ticks;
    shortestTicks = Math.min(shortestTicks, ticks);
    at += fields.length * 4;
  }
  if (durationTicks === 0) throw new Error('Expected samples with durations in the segment itself.');
  return { samples, durationTicks, firstCtsTicks, shortestTicks };
}
