import { connect, type Socket } from 'node:net';

/**
 * A process of its own that sends beacons at a steady pace over a few kept connections, without waiting for one answer
 * before the next. Started with a message; answers how many were sent and answered, and ends.
 */
export type SenderTask = { port: number; tickets: string[]; perSec: number; seconds: number };
export type SenderResult = { sent: number; answered: number; refused: number };

const CONNECTIONS = 16;
const BEAT_MS = 10;
const EACH_SEC = 10;
const END_MS = 10_000;
const HEAD_END = Buffer.from('\r\n\r\n');
const TAKEN = Buffer.from('HTTP/1.1 204 ');
const NOTHING = Buffer.alloc(0);
const PERSON = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

process.once('message', async (task: SenderTask) => {
  process.send?.(await send(task));
  process.disconnect();
});

async function send({ port, tickets, perSec, seconds }: SenderTask): Promise<SenderResult> {
  const result = { sent: 0, answered: 0, refused: 0 };
  const [first = ''] = tickets;
  if (tickets.some(({ length }) => length !== first.length)) throw new Error('Expected tickets of one length.');
  // Written before the first is sent: what the sender calculates meanwhile is taken from what is measured.
  const turnCount = Math.ceil((perSec * seconds) / tickets.length);
  const turns = Array.from({ length: turnCount }, (_, turn) => turnOf(turn, first.length, port));
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(port, result)));
  const startMs = performance.now();
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const elapsedSec = Math.min(seconds, (performance.now() - startMs) / 1000);
      const due = Math.floor(elapsedSec * perSec);
      const texts = sockets.map(() => '');
      for (; result.sent < due; result.sent += 1) {
        const turn = turns[Math.floor(result.sent / tickets.length)] ?? { head: '', body: '' };
        texts[result.sent % CONNECTIONS] += turn.head + tickets[result.sent % tickets.length] + turn.body;
      }
      for (const [at, socket] of sockets.entries()) if (texts[at] !== '') socket.write(texts[at] ?? '', 'latin1');
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
    // Answers have no body: each begins with its status and ends with an empty line, wherever a packet ends.
    let rest = NOTHING;
    socket.on('data', (data) => {
      const bytes = rest.length === 0 ? data : Buffer.concat([rest, data]);
      let from = 0;
      for (let end = bytes.indexOf(HEAD_END); end !== -1; end = bytes.indexOf(HEAD_END, from)) {
        result.answered += 1;
        if (bytes.compare(TAKEN, 0, TAKEN.length, from, from + TAKEN.length) !== 0) result.refused += 1;
        from = end + HEAD_END.length;
      }
      rest = bytes.subarray(from);
    });
  });
}

/** What is the same in all beacons of a turn. */
type Turn = { head: string; body: string };

/** Each visit sends a beacon in ten seconds, with ten seconds more of the picture than the last. */
function turnOf(turn: number, ticketChars: number, port: number): Turn {
  const sec = turn * EACH_SEC + 1;
  const heat = Buffer.alloc(sec, 1).toString('base64url');
  const counts = { startupMs: 400, stallCount: 0, stallMs: 0, failures: 0, page: 'shop.example' };
  const totals = { visit: 0, sequence: turn, startedMs: 500, watchedSec: [sec], heat, rungSec: { 720: sec } };
  const body = `\n${JSON.stringify({ ...totals, ...counts })}`;
  const head =
    `POST /beacons HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUser-Agent: ${PERSON}\r\nContent-Length: ` +
    `${ticketChars + body.length}\r\n\r\n`;
  return { head, body };
}
