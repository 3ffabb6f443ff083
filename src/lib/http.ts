/**
 * The parts of `node:http` that the service calls. Importing that module by name makes Node read each of its exports,
 * one of which loads a whole WebSocket client: 60 ms more per role start, and some MB. Types can be imported from it as
 * usual.
 */
export const http = process.getBuiltinModule('node:http');
