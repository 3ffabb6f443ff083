/** Publishes segments during an encode, as soon as all outputs have them. */
export type Growth = {
  /** Records that the output with index `at` has one more segment. Throws if publishing failed. */
  made(at: number): void;
  /** Waits for the pending publication and publishes nothing afterwards. Throws if publishing failed. */
  end(): Promise<void>;
};

/**
 * Calls `publish` whenever every output has one more segment. Calls are never concurrent. There is no call for the last
 * of the `each` segments, because the caller publishes it at the end.
 */
export function publishGrowing(outputs: number, each: number, publish: () => Promise<void>): Growth {
  const counts = Array.from({ length: outputs }, () => 0);
  let published = 0;
  let underWay: Promise<void> | null = null;
  let failure: { reason: unknown } | null = null;
  let isOver = false;

  async function publishNow(): Promise<void> {
    try {
      await publish();
    } catch (reason) {
      failure = { reason };
    }
    underWay = null;
  }

  function check(): void {
    if (failure !== null) throw failure.reason;
  }

  return {
    made(at) {
      check();
      counts[at] = (counts[at] ?? 0) + 1;
      const common = Math.min(...counts);
      if (isOver || underWay !== null || common <= published || common >= each) return;
      published = common;
      underWay = publishNow();
    },
    async end() {
      isOver = true;
      await underWay;
      check();
    },
  };
}
