/** Timeout against hangs. Browser commands are slow on a busy machine. */
const COMMAND_MS = 120_000;

type Waiting = { resolve(result: unknown): void; reject(error: Error): void; late: ReturnType<typeof setTimeout> };
type Message =
  | { type: 'success'; id: number; result: unknown }
  | { type: 'error'; id: number | null; error: string; message: string }
  | { type: 'event'; method: string; params: unknown };

/** A WebDriver BiDi connection: commands with their results, and events by name. The caller closes it. */
export class BidiConnection {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, ((params: never) => void)[]>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#read(JSON.parse(String(data))));
    socket.addEventListener('close', () => this.#failAll(new Error('The browser closed the connection.')));
  }

  static async open(address: string): Promise<BidiConnection> {
    const socket = new WebSocket(address);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve(), { once: true });
      socket.addEventListener('error', () => reject(new Error(`Expected a debugging server at ${address}.`)), {
        once: true,
      });
    });
    return new BidiConnection(socket);
  }

  send<Result = unknown>(method: string, params: object): Promise<Result> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise<Result>((resolve, reject) => {
      const late = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Error(`Expected a result of ${method} within ${COMMAND_MS} ms.`));
      }, COMMAND_MS);
      // The protocol fixes the shape of each command's result.
      this.#waiting.set(id, { resolve: (result) => resolve(result as Result), reject, late });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  /** The protocol fixes the shape of each event's parameters. */
  on<Params>(method: string, listener: (params: Params) => void): void {
    this.#listeners.set(method, [...(this.#listeners.get(method) ?? []), listener]);
  }

  close(): void {
    this.#socket.close();
  }

  #read(message: Message): void {
    if (message.type === 'event') {
      // `on` promised the listener this event's own parameters.
      for (const listener of this.#listeners.get(message.method) ?? []) listener(message.params as never);
      return;
    }
    const waiting = message.id === null ? undefined : this.#waiting.get(message.id);
    if (waiting === undefined || message.id === null) return;
    this.#waiting.delete(message.id);
    clearTimeout(waiting.late);
    if (message.type === 'success') waiting.resolve(message.result);
    else waiting.reject(new Error(`${message.error}: ${message.message}`));
  }

  #failAll(error: Error): void {
    for (const { reject, late } of this.#waiting.values()) {
      clearTimeout(late);
      reject(error);
    }
    this.#waiting.clear();
  }
}
