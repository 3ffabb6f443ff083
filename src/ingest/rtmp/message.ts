/** Supported message type ids of RTMP 1.0 (sections 5.4 and 7.1). */
export const MESSAGE = {
  setChunkSize: 1,
  ack: 3,
  windowAck: 5,
  peerBandwidth: 6,
  audio: 8,
  video: 9,
  data: 18,
  command: 20,
  amf3Command: 17,
};
