import type { DrmKeySource } from '../../ports/drm-key-source.ts';

/** Accepts the proposed keys. They are random: no other server has them, and no system is signalled. */
export const builtInKeySource: DrmKeySource = {
  systems: [],
  async fetchKeys({ keys }) {
    return { keys, systems: [] };
  },
};
