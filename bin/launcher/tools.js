import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { runChild } from './run-child.js';

/**
 * `program` is a name on the path, or the absolute path of a file or folder of `debianPackage`. `service` is a systemd
 * service that the package would start, and that must not run.
 *
 * @typedef {{ program: string, debianPackage: string, service?: string }} Tool
 */

/** @type {readonly Tool[]} */
const SERVE_TOOLS = [
  { program: 'ffmpeg', debianPackage: 'ffmpeg' },
  { program: 'ffprobe', debianPackage: 'ffmpeg' },
  { program: 'bwrap', debianPackage: 'bubblewrap' },
];

/**
 * GStreamer with plugins for HTTP, HLS, MP4 and Matroska, H.264 and AAC, and publishing over RTMP and SRT. The package
 * of the program does not depend on the plugins, so each package of plugins is detected by one of its files.
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

/**
 * A small real speech engine, its English model, and recorded speech with a transcript. Each package is detected by one
 * of its files.
 * @type {readonly Tool[]}
 */
const SPEECH = [
  { program: 'pocketsphinx_continuous', debianPackage: 'pocketsphinx' },
  { program: '/usr/share/pocketsphinx/model/en-us/en-us', debianPackage: 'pocketsphinx-en-us' },
  { program: '/usr/share/pocketsphinx/test/data/librivox', debianPackage: 'pocketsphinx-testdata' },
];

/** @type {readonly Tool[]} */
const NGINX = [{ program: '/usr/sbin/nginx', debianPackage: 'nginx-light' }];

/** @type {readonly Tool[]} */
const PROMETHEUS = ['prometheus', 'promtool'].map((program) => ({
  program,
  debianPackage: 'prometheus',
  service: 'prometheus',
}));

/** @type {readonly Tool[]} */
const PGBOUNCER = [{ program: '/usr/sbin/pgbouncer', debianPackage: 'pgbouncer', service: 'pgbouncer' }];

/** @type {readonly Tool[]} */
const HAPROXY = [{ program: '/usr/sbin/haproxy', debianPackage: 'haproxy', service: 'haproxy' }];

/** @type {readonly Tool[]} */
const CHROMIUM = [{ program: 'chromium-headless-shell', debianPackage: 'chromium-headless-shell' }];

/**
 * Returns the tool entry of an nginx module that a benchmark uses for comparison.
 * @param {string} name @param {string} debianPackage @returns {Tool}
 */
const nginxModule = (name, debianPackage) => ({
  program: `/usr/lib/nginx/modules/ngx_${name}_module.so`,
  debianPackage,
});

/** @type {Record<string, readonly Tool[]>} */
const TOOLS = {
  serve: SERVE_TOOLS,
  test: [
    ...SERVE_TOOLS,
    ...CHROMIUM,
    { program: 'firefox-esr', debianPackage: 'firefox-esr' },
    { program: 'WebKitWebDriver', debianPackage: 'webkit2gtk-driver' },
    { program: 'Xvfb', debianPackage: 'xvfb' },
    { program: 'mpv', debianPackage: 'mpv' },
    { program: '/usr/share/modsecurity-crs/rules', debianPackage: 'modsecurity-crs' },
    ...NGINX,
    ...PROMETHEUS,
    ...PGBOUNCER,
    ...HAPROXY,
    ...SPEECH,
    { program: 'bzip2', debianPackage: 'bzip2' },
    { program: 'curl', debianPackage: 'curl' },
    { program: 'openssl', debianPackage: 'openssl' },
    { program: 'tmux', debianPackage: 'tmux' },
    { program: 'systemd-analyze', debianPackage: 'systemd' },
    // Numbers of system calls, with which the numbers in the seccomp filter are compared.
    { program: '/usr/include/asm-generic/unistd.h', debianPackage: 'linux-libc-dev' },
    ...GSTREAMER,
  ],
  soak: [
    ...SERVE_TOOLS,
    { program: 'zzuf', debianPackage: 'zzuf' },
    ...CHROMIUM,
    { program: 'firefox-esr', debianPackage: 'firefox-esr' },
    { program: 'mpv', debianPackage: 'mpv' },
    { program: 'vlc', debianPackage: 'vlc' },
    ...SPEECH,
    ...GSTREAMER,
  ],
  bench: [
    ...SERVE_TOOLS,
    ...CHROMIUM,
    { program: '/usr/share/modsecurity-crs/rules', debianPackage: 'modsecurity-crs' },
    ...NGINX,
    nginxModule('rtmp', 'libnginx-mod-rtmp'),
    nginxModule('http_modsecurity', 'libnginx-mod-http-modsecurity'),
    ...SPEECH,
  ],
};

/**
 * Installs the Debian packages that a command needs if the user is root. Otherwise throws with the line that installs
 * them.
 *
 * @param {string} command
 */
export async function ensureTools(command) {
  const missing = missingTools(command, process.env.PATH ?? '');
  if (missing.length === 0) return;
  const line = installLine(missing);
  const names = missing.map((tool) => tool.program).join(', ');
  if (process.getuid?.() !== 0) throw new Error(`${names} not found. Run as root: ${line}`);
  process.stderr.write(`millrace: ${names} not found, running: ${line}\n`);
  const { masks, packages } = planInstall(missing);
  const installer = join(import.meta.dirname, 'apt-install.sh');
  const code = await runChild('/bin/sh', ['-c', [...masks, `exec /bin/sh "$0" ${packages}`].join(' && '), installer], {
    stdio: ['ignore', 2, 2],
  });
  const still = missingTools(command, process.env.PATH ?? '');
  if (code !== 0 || still.length > 0) throw new Error(`${names} could not be installed (code ${code}). Run: ${line}`);
}

/**
 * Returns the line that installs tools. The line masks their services first, because Debian starts a service when its
 * package is installed.
 *
 * @param {readonly Tool[]} missing
 * @returns {string}
 */
export function installLine(missing) {
  const { masks, packages } = planInstall(missing);
  return [...masks, 'apt-get update', `apt-get install -y --no-install-recommends ${packages}`].join(' && ');
}

/** @param {readonly Tool[]} missing */
function planInstall(missing) {
  const services = [...new Set(missing.flatMap((tool) => tool.service ?? []))];
  return {
    // In a container without systemd, the folder may be missing.
    masks: services.map(
      (name) => `mkdir -p /etc/systemd/system && ln -sfn /dev/null /etc/systemd/system/${name}.service`,
    ),
    packages: [...new Set(missing.map((tool) => tool.debianPackage))].join(' '),
  };
}

/**
 * @param {string} command
 * @param {string} path as in $PATH
 * @param {string} root folder in which absolute paths are looked for
 * @returns {Tool[]}
 */
export function missingTools(command, path, root = '/') {
  return (TOOLS[command] ?? []).filter(({ program }) => {
    if (isAbsolute(program)) return !canRun(join(root, program));
    return !path.split(delimiter).some((folder) => canRun(join(folder, program)));
  });
}

/**
 * Returns the path of a GStreamer plugin on Debian.
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
    // Plugins, modules and headers are not executed, so they only need to be readable.
    accessSync(file, /\.(so|h)$/.test(file) ? constants.R_OK : constants.X_OK);
    return true;
  } catch {
    // The program is absent or not executable in this folder.
    return false;
  }
}
