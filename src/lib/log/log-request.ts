import type { IncomingMessage, ServerResponse } from 'node:http';
import { logContext, withLogContext } from './log-context.ts';
import { isAccessLogged, logAccess } from './log-event.ts';

/**
 * Writes the access line of a request when its response ends or its client disconnects, if the access log is on.
 * `show` removes secrets from the URL.
 */
export function logRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { address, show }: { address: string; show: (url: string) => string },
): void {
  if (!isAccessLogged()) return;
  const startedMs = performance.now();
  const { socket } = request;
  const sentBefore = socket.bytesWritten;
  const context = logContext();
  response.once('close', () => {
    withLogContext(context, () =>
      logAccess({
        method: request.method ?? '',
        path: show(request.url ?? ''),
        status: response.statusCode,
        durationMs: performance.now() - startedMs,
        bytes: socket.bytesWritten - sentBefore,
        address,
        reason: response.writableFinished ? null : 'the client disconnected',
      }),
    );
  });
}
