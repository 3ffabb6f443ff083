import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { runChild } from './run-child.js';

/**
 * `program` may be a whole path, of a folder too. `debianPackage` may be several, with spaces between them.
 *
 * @typedef {{ program: string, debianPackage: string }} Tool
 */

/** @type {readonly Tool[]} */
const SERVE_TOOLS = [
  { program: 'ffmpeg', debianPackage: 'ffmpeg' },
  { program: 'ffprobe', debianPackage: 'ffmpeg' },
  { program: 'bwrap', debianPackage: 'bubblewrap' },
];

/**
 * GStreamer with HTTP, HLS, MP4 and Matroska; H.264 and AAC; publishing by RTMP and SRT. Its program comes without its
 * plugins, so that one file of each package of plugins is looked for too.
 *
 * @type {readonly Tool[]}
 */
const GSTREAMER = [
  { program: 'gst-launch-1.0', debianPackage: 'gstreamer1.0-tools' },
  ...Object.entries({ base: 'playback', good: 'isomp4', bad: 'rtmp2' }).map(([set, plugin]) => ({
    program: gstreamerPlugin(plugin),
    debianPackage: `gstreamer1.0-plugins-${set}`,
  })),
  { program: gstreamerPlugin('libav'), debianPackage: 'gstreamer1.0-libav' },
];

/** A small real speech engine, its English model, and read speech with its text. */
const SPEECH = 'pocketsphinx pocketsphinx-en-us pocketsphinx-testdata';

/** @type {Record<string, readonly Tool[]>} */
const TOOLS = {
  serve: SERVE_TOOLS,
  test: [
    ...SERVE_TOOLS,
    { program: 'chromium-headless-shell', debianPackage: 'chromium-headless-shell' },
    { program: 'firefox-esr', debianPackage: 'firefox-esr' },
    { program: 'mpv', debianPackage: 'mpv' },
    { program: '/usr/share/modsecurity-crs/rules', debianPackage: 'modsecurity-crs' },
    { program: '/usr/sbin/nginx', debianPackage: 'nginx-light' },
    { program: 'pocketsphinx_continuous', debianPackage: SPEECH },
    { program: 'bzip2', debianPackage: 'bzip2' },
    { program: 'tmux', debianPackage: 'tmux' },
    ...GSTREAMER,
  ],
  soak: [
    ...SERVE_TOOLS,
    { program: 'zzuf', debianPackage: 'zzuf' },
    { program: 'chromium-headless-shell', debianPackage: 'chromium-headless-shell' },
    { program: 'firefox-esr', debianPackage: 'firefox-esr' },
    { program: 'mpv', debianPackage: 'mpv' },
    { program: 'vlc', debianPackage: 'vlc' },
    ...GSTREAMER,
  ],
};

/**
 * Installs the system's programs that a command needs: as root by apt-get, else it says in one line
 * how and throws.
 *
 * @param {string} command
 */
export async function ensureTools(command) {
  const missing = missingTools(command, process.env.PATH ?? '');
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map((tool) => tool.debianPackage))];
  const line = `apt-get update && apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  const names = missing.map((tool) => tool.program).join(', ');
  if (process.getuid?.() !== 0) throw new Error(`${names} not found. Run as root: ${line}`);
  process.stderr.write(`millrace: ${names} not found, running: ${line}\n`);
  const code = await runChild('/bin/sh', ['-c', line], {
    stdio: ['ignore', 2, 2],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  const still = missingTools(command, process.env.PATH ?? '');
  if (code !== 0 || still.length > 0) throw new Error(`${names} could not be installed (code ${code}). Run: ${line}`);
}

/**
 * @param {string} command
 * @param {string} path as in $PATH
 * @param {string} root below which whole paths are looked for
 * @returns {Tool[]}
 */
export function missingTools(command, path, root = '/') {
  return (TOOLS[command] ?? []).filter(({ program }) => {
    if (isAbsolute(program)) return !canRun(join(root, program));
    return !path.split(delimiter).some((folder) => canRun(join(folder, program)));
  });
}

/**
 * Where Debian keeps a plugin of GStreamer.
 *
 * @param {string} name
 */
function gstreamerPlugin(name) {
  const machine = { x64: 'x86_64', arm64: 'aarch64' }[/** @type {string} */ (process.arch)] ?? process.arch;
  return `/usr/lib/${machine}-linux-gnu/gstreamer-1.0/libgst${name}.so`;
}

/** @param {string} file */
function canRun(file) {
  try {
    // A plugin is loaded, not run.
    accessSync(file, file.endsWith('.so') ? constants.R_OK : constants.X_OK);
    return true;
  } catch {
    // Absent or not executable: both mean that this folder does not have the program.
    return false;
  }
}
