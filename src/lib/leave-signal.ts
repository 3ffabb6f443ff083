import type { ServerResponse } from 'node:http';

/**
 * Returns a signal that aborts when the client disconnects before the response is complete, with the reason that
 * `because` makes. Only a response that waits needs one.
 */
export function leaveSignal(response: ServerResponse, because?: () => Error): AbortSignal {
  const left = new AbortController();
  const leave = () => {
    // An abort creates a stack trace. Completed responses avoid that cost.
    if (!response.writableFinished) left.abort(because?.());
  };
  // The client may have disconnected before this call.
  if (response.closed || response.destroyed) leave();
  else response.once('close', leave);
  return left.signal;
}
