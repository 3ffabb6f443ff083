import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { SCRATCH } from './scratch.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    runFolder: string;
  }
}

let folder: string | null = null;

/** Creates the folder of a run for files that its tests share (`onceARun`). */
export async function setup(project: TestProject): Promise<void> {
  folder = await mkdtemp(path.join(SCRATCH, 'mr-run-'));
  project.provide('runFolder', folder);
}

export async function teardown(): Promise<void> {
  if (folder !== null) await rm(folder, { recursive: true, force: true });
}
