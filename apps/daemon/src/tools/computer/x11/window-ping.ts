import type { Clock } from '@drawbridge/kit';
import type { Answer, Client, WindowEvent } from 'x11';

const atomType = 4;
const substructureNotify = 0x8_0000;
/** A window that hangs is waited for no longer. */
const patienceMs = 10_000;

export interface PingNeeds {
  client: Client;
  root: number;
  ask<T>(request: (answer: Answer<T>) => void): Promise<T>;
  clock: Clock;
}

/**
 * Returns a function that resolves when the window that has the keyboard has handled what it was sent so
 * far (`_NET_WM_PING` of the window manager specification), at once where it cannot say so, or after 10 s.
 */
export const createWindowPing = async ({ client, root, ask, clock }: PingNeeds) => {
  const atom = (name: string) => ask<number>((answer) => client.InternAtom(false, name, answer));
  const [protocols, ping] = [await atom('WM_PROTOCOLS'), await atom('_NET_WM_PING')];
  /** By the number that the window sends back. */
  const answered = new Map<number, () => void>();
  let count = 0;
  client.ChangeWindowAttributes(root, { eventMask: substructureNotify });
  client.on('event', ({ name, message_type, data }: WindowEvent) => {
    if (name === 'ClientMessage' && message_type === protocols && data?.[0] === ping)
      answered.get(data[1] ?? 0)?.();
  });

  const canAnswer = async (window: number): Promise<boolean> => {
    const { data } = await ask<{ data: Buffer }>((answer) =>
      client.GetProperty(0, window, protocols, atomType, 0, 64, answer),
    );
    for (let at = 0; at + 4 <= data.length; at += 4) if (data.readUInt32LE(at) === ping) return true;
    return false;
  };

  const underPointer = async (window: number): Promise<number> => {
    const { child } = await ask<{ child: number }>((answer) => client.QueryPointer(window, answer));
    return child === 0 ? window : underPointer(child);
  };

  /** The window with the keyboard, or the one above it that answers; undefined where none does. */
  const target = async (): Promise<number | undefined> => {
    const { focus } = await ask<{ focus: number }>((answer) => client.GetInputFocus(answer));
    // 1: the keyboard follows the pointer.
    let window = focus === 1 ? await underPointer(root) : focus;
    while (window !== 0 && window !== root) {
      if (await canAnswer(window)) return window;
      const { parent } = await ask<{ parent: number }>((answer) => client.QueryTree(window, answer));
      window = parent;
    }
    return undefined;
  };

  return async (): Promise<void> => {
    // A window that is gone meanwhile has nothing to handle.
    const window = await target().catch(() => undefined);
    if (window === undefined) return;
    count += 1;
    const own = count;
    await new Promise<void>((resolve) => {
      const cancel = clock.after(patienceMs, resolve);
      answered.set(own, () => {
        cancel();
        resolve();
      });
      client.SendClientMessage(window, window, protocols, 32, [ping, own, window], 0);
    });
    answered.delete(own);
  };
};
