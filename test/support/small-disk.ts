import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { copyStarted, type Service, startService } from './service.ts';

const run = promisify(execFile);
/** Above the default minimum of free space. Uses no memory until written to. */
const ROOMY_BYTES = 6 * 2 ** 30;
/** The mounted file system contains the store's marker from the first start. */
const MOUNT = `cp -a "$1" "$1.first" && mount -t tmpfs -o size=${ROOMY_BYTES} none "$1" && cp -a "$1.first/." "$1" &&
  rm -r "$1.first" && shift && exec "$@"`;

/** A service whose objects are on a separate file system, which can be filled and emptied while it runs. */
export type SmallDisk = {
  service: Service;
  /** The objects as seen from outside the service's mount namespace. */
  objects: string;
  /** Leaves this many bytes free. */
  leaveFree(bytes: number): Promise<void>;
  makeRoomy(): Promise<void>;
};

/** Returns why no file system can be mounted here, or null if it can. */
export async function whyNoMount(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'only root may mount a small medium and look into it';
  return run('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', tmpdir()]).then(
    () => null,
    (error: unknown) => String(error),
  );
}

/** Starts a service in its own mount namespace. The file system disappears when its last process exits. */
export async function startOnSmallDisk(env: Record<string, string> = {}): Promise<SmallDisk> {
  const dataDir = await copyStarted();
  const folder = path.join(dataDir, 'objects');
  const service = await startService(dataDir, env, ['unshare', '-m', 'sh', '-c', MOUNT, 'sh', folder]);
  const objects = `/proc/${service.pid}/root${folder}`;
  const remount = async (bytes: number) => {
    const options = `remount,size=${Math.ceil(bytes / 1024)}k`;
    await run('nsenter', ['-t', String(service.pid), '-m', 'mount', '-o', options, folder]);
  };
  return {
    service,
    objects,
    async leaveFree(bytes) {
      for (let tries = 1; ; tries += 1) {
        const { blocks, bfree, bsize } = await statfs(objects);
        try {
          return await remount((blocks - bfree) * bsize + bytes);
        } catch (error) {
          // A concurrent writer may have used more space than should remain.
          if (tries === 10) throw error;
        }
      }
    },
    makeRoomy: () => remount(ROOMY_BYTES),
  };
}
