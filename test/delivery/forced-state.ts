import type { Page } from 'playwright-core';
import type { PlayerState } from '../../src/delivery/player/player-state.ts';

type Forced = { state: PlayerState; look: Record<string, unknown> };

const CONFIG = /(<script type="application\/json" id="config"[^>]*>)([\s\S]*?)(<\/script>)/;

/** Opens a player page whose server reports a forced state, because live streams have no source in these tests. */
export async function forceState(page: Page, change: (forced: Forced) => void): Promise<void> {
  let state: PlayerState | null = null;
  await page.route(/\/(?:embed|play)\/\d+\/[0-9a-f-]+(?:\?.*)?$/, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace(CONFIG, (_, open: string, json: string, close: string) => {
      const forced: Forced = JSON.parse(json);
      change(forced);
      state = forced.state;
      return `${open}${JSON.stringify(forced).replaceAll('<', '\\u003c')}${close}`;
    });
    await route.fulfill({ response, body });
  });
  await page.route('**/state', (route) => route.fulfill({ json: state }));
}
