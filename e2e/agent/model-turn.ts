/** One use of a tool. A text is sent as the raw arguments, anything else as JSON. */
export interface ScriptedCall {
  name: string;
  arguments: unknown;
  id?: string;
}

/** What the model answers to one request: reasoning, then text, then calls, then `end`. */
export interface Turn {
  reasoning?: string;
  /** A list is sent as one chunk each. */
  text?: string | readonly string[];
  calls?: readonly ScriptedCall[];
  /** Default: 10, 5 and 0. Null: the model gives no usage. */
  usage?: { input: number; output: number; cached?: number } | null;
  /** Default: `tool_calls` with calls, else `stop`. */
  finishReason?: string;
  /**
   * Default `finish`. `cut`: the connection breaks; `no-finish`: it ends without the last chunks; `silent`: it
   * stays open until the client closes it.
   */
  end?: 'finish' | 'cut' | 'no-finish' | 'silent';
  /** Waits before the first byte of the answer. */
  delayMs?: number;
  /** Waits for this before `end`; what comes earlier is sent. */
  until?: Promise<unknown>;
  /** Answers with this status, `headers` and `body` in place of a stream. */
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Calls with their arguments as text, and an id for each. */
export const callsOf = (turn: Turn): { name: string; id: string; text: string }[] =>
  (turn.calls ?? []).map((call, index) => ({
    name: call.name,
    id: call.id ?? `call_${index}`,
    text: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
  }));

const pieceLength = 64 * 1024;

export const piecesOf = (text: string): string[] =>
  Array.from({ length: Math.ceil(text.length / pieceLength) }, (_, at) =>
    text.slice(at * pieceLength, (at + 1) * pieceLength),
  );

export const textsOf = (turn: Turn): string[] => [turn.text ?? []].flat();

/** The chunks of a turn, and those that say that it has ended. */
export interface Chunks {
  parts: Iterable<string>;
  end: string[];
}
