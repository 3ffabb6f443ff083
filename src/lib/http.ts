/**
 * Parts of `node:http` that the service uses. A named import makes Node read every export of that module, one of which
 * loads a whole WebSocket client: 60 ms and some MB more per role start. Types may be imported normally.
 */
export const http = process.getBuiltinModule('node:http');
