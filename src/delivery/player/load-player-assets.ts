import path from 'node:path';
import { loadPacked, type PackedFile, type Packing } from '../../lib/packed-code.ts';
import type { PackedPage, PackedPlayer } from './pack-player.ts';
import { type Languages, readLanguages } from './player-words.ts';

/** The player page's own files by their name under `/assets/`. Each name changes with the bytes. */
export type PlayerAssets = {
  files: ReadonlyMap<string, PackedFile>;
  /** URLs that a page of an unprotected and of a protected video loads. */
  clear: PackedPage;
  protected: PackedPage;
  style: string;
  /** File name of the client of the player.js protocol. */
  embedClient: string;
  languages: Languages;
};

const PLAYER: Packing = {
  name: 'player',
  program: path.join(import.meta.dirname, 'pack-player.ts'),
  folders: ['web/player'],
  packages: ['hls.js', 'media-chrome', 'blurhash', 'shaka-player', '@dailymotion/vast-client', 'player.js', 'rolldown'],
};

/** Reads the packed browser code, and packs it first if that was not done for this source. */
export async function loadPlayerAssets(): Promise<PlayerAssets> {
  const languages = await readLanguages(path.resolve(import.meta.dirname, '../../../web/player/languages'));
  const { list, files } = await loadPacked<PackedPlayer>(PLAYER, (packed) => packed.files);
  return {
    files,
    clear: addressesOf(list.clear),
    protected: addressesOf(list.protected),
    style: addressOf(list.style),
    embedClient: list.embedClient,
    languages,
  };
}

function addressesOf({ engine, controls }: PackedPage): PackedPage {
  return { engine: addressOf(engine), controls: addressOf(controls) };
}

function addressOf(name: string): string {
  return `/assets/${name}`;
}
