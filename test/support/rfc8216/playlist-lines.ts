type Tag = { tag: string; value: string; line: number };

/** The lines of a playlist, split into tags and URIs. Line numbers count from 0. */
export class PlaylistLines {
  readonly tags: Tag[] = [];
  readonly addresses: { text: string; line: number }[] = [];

  constructor(lines: readonly string[]) {
    lines.forEach((text, line) => {
      if (text.startsWith('#EXT')) {
        const [, tag = '', value = ''] = /^#(EXT[A-Z0-9-]*):?(.*)$/.exec(text) ?? [];
        if (tag !== 'EXTM3U') this.tags.push({ tag, value, line });
      } else if (text !== '' && !text.startsWith('#')) this.addresses.push({ text, line });
    });
  }

  places(tag: string): number[] {
    return this.tags.filter((found) => found.tag === tag).map(({ line }) => line);
  }

  value(tag: string): string | null {
    return this.tags.find((found) => found.tag === tag)?.value ?? null;
  }

  integer(tag: string): number | null {
    const value = this.value(tag);
    return value !== null && /^\d+$/.test(value) ? Number(value) : null;
  }

  isAddress(line: number): boolean {
    return this.addresses.some((address) => address.line === line);
  }
}
