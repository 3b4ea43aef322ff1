/** What a push changes. */
export interface RefChange {
  ref: string;
  isNew: boolean;
}

export type PushRefusal = 'deletes' | 'signed' | 'options' | 'invalid' | 'large';

export type PushVerdict =
  | { kind: 'more' }
  | { kind: 'right'; changes: RefChange[] }
  | { kind: 'wrong'; why: PushRefusal };

const maxBytes = 512 * 1024;

const id = '(?:[0-9a-f]{40}|[0-9a-f]{64})';
const command = new RegExp(`^(${id}) (${id}) (refs/[^\\0-\\x20\\x7f~^:?*[\\\\]+)(?:\\0([^\\0]*))?$`);
const shallow = new RegExp(`^shallow ${id}$`);
const isZero = (text: string): boolean => /^0+$/.test(text);

const wrong = (why: PushRefusal) => ({ kind: 'wrong', why }) as const;

/** One line of the list, in the form of gitprotocol-pack(5) "Reference Update Request". */
const readLine = (line: string, changes: RefChange[]): PushRefusal | undefined => {
  if (changes.length === 0 && shallow.test(line)) return undefined;
  if (line.startsWith('push-cert')) return 'signed';
  const [, before, after, ref, abilities] = command.exec(line) ?? [];
  if (before === undefined || after === undefined || ref === undefined) return 'invalid';
  // The first command lists what the client can do, and no other one does.
  if ((abilities !== undefined) !== (changes.length === 0)) return 'invalid';
  if (abilities?.split(' ').some((ability) => ability.startsWith('push-options'))) return 'options';
  if (isZero(after)) return 'deletes';
  changes.push({ ref, isNew: isZero(before) });
  return undefined;
};

/** Reads the list of changes at the start of a push, which comes in any pieces. */
export const createPushReader = () => {
  const bytes = Buffer.alloc(maxBytes);
  const changes: RefChange[] = [];
  let [length, at] = [0, 0];
  return {
    add: (chunk: Buffer): PushVerdict => {
      length += chunk.copy(bytes, length);
      while (length - at >= 4) {
        const head = bytes.toString('latin1', at, at + 4);
        // What is no length, and a length below 4, gives an empty line, which is invalid.
        const size = /^[0-9a-f]{4}$/.test(head) ? Number.parseInt(head, 16) : 1;
        if (size === 0) return { kind: 'right', changes };
        if (length - at < size) break;
        const refusal = readLine(bytes.toString('utf8', at + 4, at + size).replace(/\n$/, ''), changes);
        if (refusal !== undefined) return wrong(refusal);
        at += size;
      }
      return length === maxBytes ? wrong('large') : { kind: 'more' };
    },
  };
};
