import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import koffi from 'koffi';
import { measureRecording } from './measure-recording.ts';
import type { NativePlayer } from './native-trial.ts';
import { readNumber } from './numbered-clip.ts';

/** GStreamer's own constants, from `gstelement.h`, `gstformat.h` and `gstsegment.h`. */
const STATE = { null: 1, paused: 3, playing: 4 } as const;
const FORMAT_TIME = 3;
const SEEK_FLUSH_ACCURATE = 1 | 2;
const FAILURE = 0;
const NS_PER_SEC = 1e9;
/** Timeout that only a hang exceeds. */
const STATE_NS = 20 * NS_PER_SEC;
const PLAY_MS = 90_000;
const LOOK_NS = 1e8;
const SWITCH_SEC = 4;
/** From `adaptivedemux2`, which `playbin3` prefers. The first instance in a process has this name. */
const DEMUXER = 'hlsdemux2-0';
const SINK = 'videoconvert ! video/x-raw,format=GRAY8 ! appsink name=shown sync=true max-buffers=1 drop=true';

/** An opaque handle of the library. */
type Handle = unknown;

function bind() {
  const gst = koffi.load('libgstreamer-1.0.so.0');
  const app = koffi.load('libgstapp-1.0.so.0');
  return {
    init: gst.func('void gst_init(void *argc, void *argv)'),
    parse: gst.func('void *gst_parse_launch(const char *text, void *error)'),
    setState: gst.func('int gst_element_set_state(void *element, int state)'),
    getState: gst.func('int gst_element_get_state(void *element, void *state, void *pending, uint64_t timeout)'),
    seek: gst.func('bool gst_element_seek_simple(void *element, int format, int flags, int64_t position)'),
    byName: gst.func('void *gst_bin_get_by_name(void *bin, const char *name)'),
    setArg: gst.func('void gst_util_set_object_arg(void *object, const char *name, const char *value)'),
    unrefObject: gst.func('void gst_object_unref(void *object)'),
    preroll: app.func('void *gst_app_sink_try_pull_preroll(void *sink, uint64_t timeout)'),
    pull: app.func('void *gst_app_sink_try_pull_sample(void *sink, uint64_t timeout)'),
    isEnd: app.func('bool gst_app_sink_is_eos(void *sink)'),
    bufferOf: gst.func('void *gst_sample_get_buffer(void *sample)'),
    capsOf: gst.func('void *gst_sample_get_caps(void *sample)'),
    structureOf: gst.func('void *gst_caps_get_structure(void *caps, uint32_t index)'),
    readInt: gst.func('bool gst_structure_get_int(void *structure, const char *name, _Out_ int *value)'),
    extract: gst.func('size_t gst_buffer_extract(void *buffer, size_t offset, void *into, size_t size)'),
    unref: gst.func('void gst_mini_object_unref(void *object)'),
  };
}

/** Opens GStreamer's `playbin3` in this process, through its C interface, because no tool in Debian seeks in it. */
export async function openGStreamer(address: string, folder: string): Promise<NativePlayer> {
  const gst = bind();
  gst.init(null, null);
  const pipeline: Handle = gst.parse(
    `playbin3 uri=${address} video-sink="${SINK}" audio-sink="fakesink sync=true"`,
    null,
  );
  let isPlaying = false;
  let shown: { number: number | null; heightPx: number } = { number: null, heightPx: 0 };
  const go = (state: number) => {
    gst.setState(pipeline, state);
    if (gst.getState(pipeline, null, null, STATE_NS) === FAILURE)
      throw new Error('GStreamer failed to change its state');
    isPlaying = state === STATE.playing;
  };
  go(STATE.paused);
  const sink: Handle = gst.byName(pipeline, 'shown');
  const look = () => {
    const sample: Handle = isPlaying ? gst.pull(sink, LOOK_NS) : gst.preroll(sink, LOOK_NS);
    if (sample === null) return;
    shown = readSample(gst, sample);
    gst.unref(sample);
  };
  const seek = async (sec: number) => {
    if (!gst.seek(pipeline, FORMAT_TIME, SEEK_FLUSH_ACCURATE, Math.round(sec * NS_PER_SEC))) throw new Error('no seek');
    gst.getState(pipeline, null, null, STATE_NS);
  };
  return {
    measure: () => measure(address, folder),
    play: async () => go(STATE.playing),
    pause: async () => go(STATE.paused),
    seek,
    async replay() {
      await seek(0);
      go(STATE.playing);
    },
    async choose(heightPx) {
      const element: Handle = gst.byName(pipeline, DEMUXER);
      if (element === null) throw new Error(`no ${DEMUXER}`);
      gst.setArg(element, 'connection-bitrate', String(BITRATES[heightPx] ?? 0));
      gst.unrefObject(element);
      // All of a short clip is already loaded, so anything fetched from now on is from the rung.
      await seek(SWITCH_SEC);
    },
    async read() {
      look();
      // The pipeline's own threads continue in the meantime.
      await sleep(1);
      return shown.number === null ? null : { number: shown.number, heightPx: shown.heightPx };
    },
    isEnded: async () => gst.isEnd(sink),
    async close() {
      gst.setState(pipeline, STATE.null);
      gst.unrefObject(sink);
      gst.unrefObject(pipeline);
    },
  };
}

/** Bandwidth reported to the demuxer to make it choose a rung, in bits per second, by height. */
const BITRATES: Readonly<Record<number, number>> = { 240: 1, 480: 1_000_000_000 };

function readSample(gst: ReturnType<typeof bind>, sample: Handle): { number: number | null; heightPx: number } {
  const structure: Handle = gst.structureOf(gst.capsOf(sample), 0);
  const [width, height] = [[0], [0]];
  gst.readInt(structure, 'width', width);
  gst.readInt(structure, 'height', height);
  const [widthPx = 0, heightPx = 0] = [width[0], height[0]];
  const strideBytes = (widthPx + 3) & ~3;
  const grey = Buffer.alloc(strideBytes * heightPx);
  gst.extract(gst.bufferOf(sample), 0, grey, grey.length);
  const cells = Array.from({ length: 12 }, (_, index) => {
    const [x, y] = [((index % 4) + 0.5) / 4, (Math.floor(index / 4) + 0.5) / 3];
    return grey[Math.floor(y * heightPx) * strideBytes + Math.floor(x * widthPx)] ?? 0;
  });
  return { number: readNumber(cells), heightPx };
}

/** Renders the playback to a file, as fast as possible. */
async function measure(address: string, folder: string) {
  const file = path.join(folder, 'gstreamer.mkv');
  const queue = 'queue max-size-time=0 max-size-buffers=0 max-size-bytes=0';
  const picture = `d. ! ${queue} ! videoconvert ! jpegenc ! m.`;
  const sound = `d. ! ${queue} ! audioconvert ! audio/x-raw,format=S16LE ! m.`;
  const sink = `matroskamux name=m ! filesink location=${file}`;
  const pipeline = `${sink} uridecodebin3 uri=${address} name=d ${picture} ${sound}`;
  await promisify(execFile)('gst-launch-1.0', ['-q', ...pipeline.split(' ')], { timeout: PLAY_MS });
  return { ...(await measureRecording(file)), recording: null };
}
