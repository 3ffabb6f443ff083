import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { hasCode } from '../../lib/has-code.ts';
import { Refused } from '../../lib/refused.ts';
import { replaceFile } from '../../lib/replace-file.ts';

const FORMAT = 1;
const FILE = 'backup.json';
const Text = Type.String({ minLength: 1 });
/** Partition bound, with a pattern that makes it safe to insert into a statement unchanged. */
const Bound = Type.String({
  pattern: "^(DEFAULT|FOR VALUES (FROM|IN) \\([\\w', :+.-]+\\)( TO \\([\\w', :+.-]+\\))?)$",
});
const Name = Type.String({ pattern: '^[a-z_][a-z0-9_]*$' });
/** A table of a backup. Its rows are in `{tablesFolder}/{name}`, in the text format of COPY. */
const Table = Type.Object({ name: Name, columns: Type.Array(Text), sha256: Text });

const ManifestSchema = Type.Object({
  format: Type.Literal(FORMAT),
  version: Text,
  createdAt: Text,
  tablesFolder: Type.String({ pattern: '^tables-\\d+$' }),
  hasSecretKey: Type.Boolean(),
  migrations: Type.Array(Text),
  tables: Type.Array(Table),
  partitions: Type.Array(Type.Object({ name: Name, parent: Name, bound: Bound })),
  sequences: Type.Array(Type.Object({ name: Text, value: Type.Number() })),
  objects: Type.Number(),
  bytes: Type.Number(),
});

/** Contents of a backup. The manifest is written last: a folder without it is not a backup. */
export type Manifest = Static<typeof ManifestSchema>;

/** Returns the manifest of a folder, or null if it has none. Throws `Refused` if this version cannot read it. */
export async function readManifest(folder: string): Promise<Manifest | null> {
  const file = path.join(folder, FILE);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  });
  if (text === null) return null;
  const found: unknown = JSON.parse(text);
  if (!Value.Check(ManifestSchema, found)) {
    throw new Refused('invalid', `expected a backup of format ${FORMAT}, but this version cannot read ${file}.`);
  }
  return found;
}

/** Replaces the previous manifest atomically. */
export async function writeManifest(folder: string, manifest: Omit<Manifest, 'format'>): Promise<void> {
  await replaceFile(path.join(folder, FILE), JSON.stringify({ format: FORMAT, ...manifest }, null, 2), 0o600);
}
