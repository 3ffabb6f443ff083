import { connect, type Socket } from 'node:net';

/**
 * A separate process that sends beacons at a steady rate over a few kept-alive connections, without waiting for
 * responses. A message with the task starts it. It reports the number of beacons that were sent and acknowledged, and
 * exits.
 */
export type SenderTask = { port: number; tickets: string[]; perSec: number; seconds: number };
export type SenderResult = { sent: number; answered: number; refused: number };

const CONNECTIONS = 16;
const BEAT_MS = 10;
const EACH_SEC = 10;
const END_MS = 10_000;
const PERSON = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

process.once('message', async (task: SenderTask) => {
  process.send?.(await send(task));
  process.disconnect();
});

async function send({ port, tickets, perSec, seconds }: SenderTask): Promise<SenderResult> {
  const result = { sent: 0, answered: 0, refused: 0 };
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(port, result)));
  const startMs = performance.now();
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const elapsedSec = Math.min(seconds, (performance.now() - startMs) / 1000);
      const due = Math.floor(elapsedSec * perSec);
      const turns = new Map<Socket, string>();
      for (; result.sent < due; result.sent += 1) {
        const socket = sockets[result.sent % CONNECTIONS];
        if (socket !== undefined) turns.set(socket, (turns.get(socket) ?? '') + requestOf(result.sent, tickets, port));
      }
      for (const [socket, text] of turns) socket.write(text);
      if (elapsedSec < seconds) return;
      clearInterval(timer);
      resolve();
    }, BEAT_MS);
  });
  const limitMs = performance.now() + END_MS;
  while (result.answered < result.sent && performance.now() < limitMs) {
    await new Promise((resolve) => setTimeout(resolve, BEAT_MS));
  }
  for (const socket of sockets) socket.destroy();
  return result;
}

function open(port: number, result: SenderResult): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.once('error', reject);
    // Responses have no body, so the status lines can be counted in the stream, whatever the packet boundaries.
    let rest = '';
    socket.setEncoding('latin1').on('data', (data: string) => {
      const text = rest + data;
      const heads = text.split('\r\n\r\n');
      rest = heads.pop() ?? '';
      for (const head of heads) {
        result.answered += 1;
        if (!head.startsWith('HTTP/1.1 204')) result.refused += 1;
      }
    });
  });
}

/** Returns the n-th beacon. Each session sends a beacon every ten seconds, with ten more seconds of watched video. */
function requestOf(n: number, tickets: readonly string[], port: number): string {
  const turn = Math.floor(n / tickets.length);
  const sec = turn * EACH_SEC + 1;
  const heat = Buffer.alloc(sec, 1).toString('base64url');
  const counts = { startupMs: 400, stallCount: 0, stallMs: 0, failures: 0, page: 'shop.example' };
  const totals = { visit: 0, sequence: turn, startedMs: 500, watchedSec: [sec], heat, rungSec: { 720: sec } };
  const body = `${tickets[n % tickets.length]}\n${JSON.stringify({ ...totals, ...counts })}`;
  return (
    `POST /beacons HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUser-Agent: ${PERSON}\r\nContent-Length: ` +
    `${body.length}\r\n\r\n${body}`
  );
}
