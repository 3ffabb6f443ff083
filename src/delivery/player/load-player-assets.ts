import path from 'node:path';
import { loadPacked, type PackedFile, type Packing } from '../../lib/packed-code.ts';
import type { PackedPage, PackedPlayer, PackedShare } from './pack-player.ts';
import { type Languages, readLanguages } from './player-words.ts';

/** The player page's own files by their names below `/assets/`. A name changes with the bytes of its file. */
export type PlayerAssets = {
  files: ReadonlyMap<string, PackedFile>;
  /** Files that pages of unprotected (`clear`) and protected videos load. */
  clear: PackedPage;
  protected: PackedPage;
  style: string;
  /** Files of share pages. */
  share: PackedShare;
  /** File name of the player.js protocol client. */
  embedClient: string;
  /** File name of the script that defines `<millrace-player>`. */
  element: string;
  languages: Languages;
};

const PLAYER: Packing = {
  name: 'player',
  program: path.join(import.meta.dirname, 'pack-player.ts'),
  folders: ['web/player', 'sdk/src'],
  packages: ['hls.js', 'media-chrome', 'blurhash', 'shaka-player', '@dailymotion/vast-client', 'player.js', 'rolldown'],
};

/** Reads the bundled browser code. Bundles it first if no bundle exists for the current source. */
export async function loadPlayerAssets(): Promise<PlayerAssets> {
  const languages = await readLanguages(path.resolve(import.meta.dirname, '../../../web/player/languages'));
  const { list, files } = await loadPacked<PackedPlayer>(PLAYER, (packed) => packed.files);
  return {
    files,
    clear: addressesOf(list.clear),
    protected: addressesOf(list.protected),
    style: addressOf(list.style),
    share: { script: addressOf(list.share.script), style: addressOf(list.share.style) },
    embedClient: list.embedClient,
    element: list.element,
    languages,
  };
}

function addressesOf({ engine, controls }: PackedPage): PackedPage {
  return { engine: addressOf(engine), controls: addressOf(controls) };
}

function addressOf(name: string): string {
  return `/assets/${name}`;
}
