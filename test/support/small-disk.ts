import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { copyStarted, type Service, startService } from './service.ts';

const run = promisify(execFile);
/** Above the usual floor of free space, which takes no memory until it is written to. */
const ROOMY_BYTES = 6 * 2 ** 30;
/** The medium has the mark of the store that the first start left. */
const MOUNT = `cp -a "$1" "$1.first" && mount -t tmpfs -o size=${ROOMY_BYTES} none "$1" && cp -a "$1.first/." "$1" &&
  rm -r "$1.first" && shift && exec "$@"`;

/** A service whose objects lie on a medium of their own, which can be made full and roomy again while it runs. */
export type SmallDisk = {
  service: Service;
  /** The objects as seen from outside the service's own view of the file system. */
  objects: string;
  /** Leaves this many bytes free. */
  leaveFree(bytes: number): Promise<void>;
  makeRoomy(): Promise<void>;
};

/** Why no medium can be mounted here; null when it can. */
export async function whyNoMount(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'only root may mount a small medium and look into it';
  return run('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', tmpdir()]).then(
    () => null,
    (error: unknown) => String(error),
  );
}

/** Starts a service in a mount namespace of its own: the medium goes when its last process does. */
export async function startOnSmallDisk(): Promise<SmallDisk> {
  const dataDir = await copyStarted();
  const folder = path.join(dataDir, 'objects');
  const service = await startService(dataDir, {}, ['unshare', '-m', 'sh', '-c', MOUNT, 'sh', folder]);
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
          // Whoever writes meanwhile may have taken more than is to be left.
          if (tries === 10) throw error;
        }
      }
    },
    makeRoomy: () => remount(ROOMY_BYTES),
  };
}
