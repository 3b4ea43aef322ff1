import type { Confirmation } from '@drawbridge/contracts/confirmation';
import type { Clock } from '@drawbridge/kit';
import { useEventListener } from '@vueuse/core';
import type { ShallowRef } from 'vue';
import { counted } from '../../ui/text/format.ts';
import { shownMs, titlesOf, type createClosedNotes } from './closed-notes.ts';

/** How long the denial of a selection waits before it is sent. */
const heldMs = 6_000;

type Questions = readonly Confirmation[];

/** The questions of denials that are not sent yet, by the id of their note. */
export type Held = ShallowRef<ReadonlyMap<string, Questions>>;

interface HeldNeeds {
  clock: Clock;
  held: Held;
  notes: Pick<ReturnType<typeof createClosedNotes>, 'change' | 'close' | 'dismiss'>;
  isOpen(id: string): boolean;
  /** Denies them now; resolves to how many of them this has closed. */
  deny(named: { id: string; title: string; members: Questions; before: number }): Promise<number>;
}

/** Denials of several questions, which can be undone until they are sent. */
export const createHeldDenials = ({ clock, held, notes, isOpen, deny }: HeldNeeds) => {
  const waits = new Map<string, () => void>();
  const release = (id: string) => {
    held.value = new Map([...held.value].filter(([other]) => other !== id));
  };
  /** Ends the wait of a denial; null where it has ended before. */
  const endWait = (id: string): { all: Questions; left: Questions; before: number } | null => {
    const cancel = waits.get(id);
    if (cancel === undefined) return null;
    cancel();
    waits.delete(id);
    const all = held.value.get(id) ?? [];
    const left = all.filter((one) => isOpen(one.id));
    return { all, left, before: all.length - left.length };
  };

  const send = async (id: string) => {
    const ended = endWait(id);
    if (ended === null) return;
    notes.change(id, { waits: false });
    const { all, left: members, before } = ended;
    const done = await deny({ id, title: titlesOf(all), members, before });
    release(id);
    // The others say themselves how they closed, or why they are still open.
    if (done === 0) notes.dismiss(id);
  };

  /** Denies these questions once each, in a moment. Until then they are in no list. */
  const denyLater = (members: Questions) => {
    const [first] = members;
    if (first === undefined) return;
    const id = `denied:${first.id}`;
    held.value = new Map(held.value).set(id, members);
    waits.set(
      id,
      clock.after(heldMs, () => void send(id)),
    );
    const text = `Denying ${counted(members.length, 'question')}`;
    const questions = members.map((one) => one.id);
    notes.close(
      { ...first, id },
      { text, title: titlesOf(members), approved: false, own: true, waits: true, questions },
      null,
    );
  };

  /** Cancels a denial that is not sent yet. */
  const cancelDenial = (id: string) => {
    const ended = endWait(id);
    if (ended === null) return;
    const { all, left, before } = ended;
    release(id);
    const again = `Not denied: ${counted(left.length, 'question')} ${left.length === 1 ? 'waits' : 'wait'} again`;
    const text = left.length === 0 ? 'Nothing to undo: they had all closed' : again;
    const closed = left.length > 0 && before > 0 ? `. ${before} had closed before` : '';
    const [first] = all;
    if (first)
      notes.close(
        { ...first, id },
        { text: text + closed, title: titlesOf(all), approved: false, own: true },
        shownMs.own,
      );
  };

  // A window that is hidden may be closed, and a phone stops its timers.
  useEventListener(document, 'visibilitychange', () => {
    if (document.visibilityState === 'hidden') for (const id of waits.keys()) void send(id);
  });

  return { denyLater, cancelDenial };
};
