import { boxOf, type SecretBox, type SecretKeys } from './secret-box.ts';

/** A secret that is derived from each key of a ring. The first one signs, and each of them verifies. */
export type DerivedSecret<T> = () => readonly [T, ...T[]];

/**
 * The secret keys of a process. During a rotation there are two. The box and the derived secrets of a ring follow each
 * change, so that requests in progress and later ones need no restart.
 */
export class SecretRing {
  #keys: SecretKeys;
  readonly box: SecretBox;

  constructor(...keys: SecretKeys) {
    this.#keys = keys;
    this.box = boxOf(() => this.#keys);
  }

  /** Keys now in use. The first one seals. */
  get keys(): SecretKeys {
    return this.#keys;
  }

  replace(keys: SecretKeys): void {
    this.#keys = keys;
  }

  /** Returns a secret for one purpose, which `make` derives from a key. Derives it once per key. */
  derive<T>(make: (key: Uint8Array) => T): DerivedSecret<T> {
    let derived: { keys: SecretKeys; secrets: readonly [T, ...T[]] } | null = null;
    return () => {
      const keys = this.#keys;
      if (derived?.keys !== keys) {
        const [first, ...others] = keys;
        derived = { keys, secrets: [make(first), ...others.map((key) => make(key))] };
      }
      return derived.secrets;
    };
  }
}
