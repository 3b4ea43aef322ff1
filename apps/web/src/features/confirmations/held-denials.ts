import type { Confirmation } from '@drawbridge/contracts/confirmation';
import type { Clock } from '@drawbridge/kit';
import { useEventListener } from '@vueuse/core';
import type { ShallowRef } from 'vue';
import { counted } from '../../ui/text/format.ts';
import { answeredWords, shownMs, titlesOf, withReason, type createClosedNotes } from './closed-notes.ts';

/** How long a denial in the inbox waits before it is sent. */
const heldMs = 6_000;

type Questions = readonly Confirmation[];

/** Questions that are denied together, once each. */
interface Denial {
  members: Questions;
  /** Of all of them; absent: the titles of the first ones. */
  title?: string | undefined;
  /** For the agents. */
  reason?: string | undefined;
}

/** The questions of denials that are not sent yet, by the id of their note. */
export type Held = ShallowRef<ReadonlyMap<string, Questions>>;

interface HeldNeeds {
  clock: Clock;
  held: Held;
  notes: Pick<ReturnType<typeof createClosedNotes>, 'change' | 'close' | 'dismiss'>;
  isOpen(id: string): boolean;
  /** Denies them now; resolves to how many of them this has closed. */
  deny(named: Denial & { id: string; title: string; before: number }): Promise<number>;
}

/** Denials that can be undone until they are sent. */
export const createHeldDenials = ({ clock, held, notes, isOpen, deny }: HeldNeeds) => {
  const waits = new Map<string, { cancel: () => void; denial: Denial }>();
  const release = (id: string) => {
    held.value = new Map([...held.value].filter(([other]) => other !== id));
  };
  /** Ends the wait of a denial; null where it has ended before. */
  const endWait = (id: string) => {
    const wait = waits.get(id);
    if (wait === undefined) return null;
    wait.cancel();
    waits.delete(id);
    const { members: all, title = titlesOf(all), reason } = wait.denial;
    const left = all.filter((one) => isOpen(one.id));
    return { all, title, reason, left, before: all.length - left.length };
  };

  const send = async (id: string) => {
    const ended = endWait(id);
    if (ended === null) return;
    notes.change(id, { waits: false });
    const { left: members, title, reason, before } = ended;
    const done = await deny({ id, title, members, reason, before });
    release(id);
    // The others say themselves how they closed, or why they are still open.
    if (done === 0) notes.dismiss(id);
  };

  /** Denies these questions once each, in a moment. Until then they are in no list. */
  const denyLater = (denial: Denial) => {
    const { members, title = titlesOf(members), reason } = denial;
    const [first] = members;
    if (first === undefined) return;
    const id = `denied:${first.id}`;
    held.value = new Map(held.value).set(id, members);
    waits.set(id, { denial, cancel: clock.after(heldMs, () => void send(id)) });
    const text = withReason(answeredWords('Denying', members.length), reason);
    const questions = members.map((one) => one.id);
    notes.close({ ...first, id }, { text, title, approved: false, own: true, waits: true, questions }, null);
  };

  /** Cancels a denial that is not sent yet. */
  const cancelDenial = (id: string) => {
    const ended = endWait(id);
    if (ended === null) return;
    const { all, title, left, before } = ended;
    release(id);
    const what = all.length === 1 ? 'the question' : counted(left.length, 'question');
    const again = `Not denied: ${what} ${left.length === 1 ? 'waits' : 'wait'} again`;
    const none = all.length === 1 ? 'it had closed' : 'they had all closed';
    const text = left.length === 0 ? `Nothing to undo: ${none}` : again;
    const closed = left.length > 0 && before > 0 ? `. ${before} had closed before` : '';
    const [first] = all;
    if (first)
      notes.close({ ...first, id }, { text: text + closed, title, approved: false, own: true }, shownMs.own);
  };

  /** Sends what waits. */
  const sendAll = () => Promise.all([...waits.keys()].map(send));
  // A window that is hidden may be closed, and a phone stops its timers.
  useEventListener(document, 'visibilitychange', () => {
    if (document.visibilityState === 'hidden') void sendAll();
  });

  return { denyLater, cancelDenial, sendAll };
};
