import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    databaseTemplates: string;
  }
}

let folder: string | null = null;

/** Makes a folder for what the databases of one run are copied from; whoever needs one first fills it. */
export async function setup(project: TestProject): Promise<void> {
  folder = await mkdtemp(path.join(tmpdir(), 'mr-pg-template-'));
  project.provide('databaseTemplates', folder);
}

export async function teardown(): Promise<void> {
  if (folder !== null) await rm(folder, { recursive: true, force: true });
}
