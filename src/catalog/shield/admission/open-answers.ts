/** Counts responses in progress by recipient. */
export class OpenAnswers {
  readonly #open = new Map<string, number>();

  count(name: string): number {
    return this.#open.get(name) ?? 0;
  }

  /** Counts one more response. Call the returned function once, when the response has ended. */
  enter(name: string): () => void {
    this.#open.set(name, this.count(name) + 1);
    return () => {
      const left = this.count(name) - 1;
      if (left > 0) this.#open.set(name, left);
      else this.#open.delete(name);
    };
  }
}
