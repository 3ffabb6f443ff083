/** Maximum width of decoded images. */
const WIDTH_PX = 240;
const CONFIGURATIONS = ['avcC', 'hvcC'];

/**
 * Decodes one keyframe with WebCodecs. `init` is an init segment, `fragment` a `moof` with one sample and its `mdat`.
 */
export async function decodeKeyframe(codec: string, init: Uint8Array, fragment: Uint8Array): Promise<ImageBitmap> {
  const picture = Promise.withResolvers<ImageBitmap>();
  const decoder = new VideoDecoder({
    output(frame) {
      const resizeWidth = Math.min(WIDTH_PX, frame.displayWidth);
      createImageBitmap(frame, { resizeWidth, resizeQuality: 'medium' })
        .then(picture.resolve, picture.reject)
        .finally(() => frame.close());
    },
    error: picture.reject,
  });
  const description = readConfiguration(init);
  decoder.configure({ codec, optimizeForLatency: true, ...(description !== null && { description }) });
  decoder.decode(new EncodedVideoChunk({ type: 'key', timestamp: 0, data: readSample(fragment) }));
  try {
    await decoder.flush();
    return await picture.promise;
  } finally {
    if (decoder.state !== 'closed') decoder.close();
  }
}

/**
 * Returns the codec's configuration record (ISO 14496-15). Returns null if the codec has its configuration in the
 * samples.
 */
function readConfiguration(init: Uint8Array): Uint8Array | null {
  const view = new DataView(init.buffer, init.byteOffset, init.byteLength);
  for (let index = 4; index + 4 <= init.length; index += 1) {
    const type = String.fromCharCode(...init.subarray(index, index + 4));
    if (CONFIGURATIONS.includes(type)) return init.subarray(index + 4, index - 4 + view.getUint32(index - 4));
  }
  return null;
}

/** Returns the content of a fragment's `mdat` box. */
function readSample(fragment: Uint8Array): Uint8Array {
  const view = new DataView(fragment.buffer, fragment.byteOffset, fragment.byteLength);
  for (let at = 0; at + 8 <= fragment.length; ) {
    const size = view.getUint32(at);
    if (String.fromCharCode(...fragment.subarray(at + 4, at + 8)) === 'mdat')
      return fragment.subarray(at + 8, at + size);
    at += Math.max(8, size);
  }
  throw new Error('Expected an mdat box in the segment of a keyframe, got none.');
}
