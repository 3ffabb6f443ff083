import { type Amf0, writeAmf0 } from './amf0.ts';

/** Codecs that publishers may send in enhanced RTMP. */
const FOURCCS = ['avc1', 'hvc1', 'av01', 'mp4a'];

/** Returns the body of the response to a `connect` command. */
export function writeConnectResult(transaction: Amf0): Buffer {
  const server = { fmsVer: 'FMS/3,5,7,7009', capabilities: 31, mode: 1, fourCcList: FOURCCS };
  const description = 'Connection succeeded.';
  const status = { level: 'status', code: 'NetConnection.Connect.Success', description, objectEncoding: 0 };
  return writeAmf0('_result', transaction, server, status);
}
