/**
 * What the service calls of `node:http`. To import that module by name has Node read each of its exports, and one of
 * them loads a whole WebSocket client: 60 ms more of each role's start, and some MB. Types are imported from it as
 * ever.
 */
export const http = process.getBuiltinModule('node:http');
