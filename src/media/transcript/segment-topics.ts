/**
 * A unit of a text (a sentence) in a segmentation: the stems of its content words, and the weight of a break before it,
 * 0 or more.
 */
export type TopicUnit = { stems: readonly string[]; startSec: number; breakBefore: number };

export type TopicLimits = { endSec: number; shortestSec: number; mostSegments: number };

/** Factor applied to the prior of the cited paper, which would also separate the paragraphs of a talk. */
const CAUTION = 1.4;

/**
 * Finds topic shifts in a text: the segmentation with the lowest cost. The cost of a segment is the number of bits
 * needed to encode its words with the word frequencies of this segment, plus a constant that depends on the length of
 * the text (Utiyama and Isahara 2001). `breakBefore` reduces the cost of a segment that begins at the unit. Returns the
 * indices of the units that begin a segment, including 0, or none for an empty text. Takes quadratic time in the number
 * of units.
 */
export function segmentTopics(
  units: readonly TopicUnit[],
  { endSec, shortestSec, mostSegments }: TopicLimits,
): number[] {
  const words = units.flatMap(({ stems }) => stems);
  const vocabulary = new Set(words).size;
  // Prior of a segment: the cost of encoding a position in the text.
  const price = CAUTION * Math.log(Math.max(2, words.length));
  const best: { cost: number; from: number; segments: number }[] = [{ cost: 0, from: 0, segments: 0 }];
  for (let to = 1; to <= units.length; to += 1) best.push({ cost: Number.POSITIVE_INFINITY, from: 0, segments: 0 });
  for (let from = 0; from < units.length; from += 1) {
    const before = best[from];
    const first = units[from];
    if (before === undefined || first === undefined || before.cost === Number.POSITIVE_INFINITY) continue;
    if (before.segments >= mostSegments) continue;
    const begun = before.cost + (from === 0 ? 0 : Math.max(0, price - first.breakBefore * price));
    const bits = new SegmentBits(vocabulary);
    for (let to = from + 1; to <= units.length; to += 1) {
      bits.add(units[to - 1]?.stems ?? []);
      const lastsSec = (units[to]?.startSec ?? endSec) - (from === 0 ? 0 : first.startSec);
      const isWhole = from === 0 && to === units.length;
      const cost = begun + bits.cost();
      const held = best[to];
      if (held === undefined || (lastsSec < shortestSec && !isWhole) || cost >= held.cost) continue;
      best[to] = { cost, from, segments: before.segments + 1 };
    }
  }
  const starts: number[] = [];
  for (let to = units.length; to > 0; ) {
    const from = best[to]?.from ?? 0;
    starts.unshift(from);
    to = from;
  }
  return starts;
}

/**
 * Computes the cost of a segment as words are added. Each word w costs log((n + k) / (f(w) + 1)), where k is the size
 * of the vocabulary.
 */
class SegmentBits {
  private readonly vocabulary: number;
  private readonly counts = new Map<string, number>();
  private words = 0;
  private gain = 0;

  constructor(vocabulary: number) {
    this.vocabulary = vocabulary;
  }

  add(stems: readonly string[]): void {
    for (const stem of stems) {
      const count = this.counts.get(stem) ?? 0;
      this.gain += (count + 1) * Math.log(count + 2) - count * Math.log(count + 1);
      this.counts.set(stem, count + 1);
      this.words += 1;
    }
  }

  cost(): number {
    return this.words * Math.log(this.words + this.vocabulary) - this.gain;
  }
}
