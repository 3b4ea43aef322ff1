import type { AskAnswer } from '@drawbridge/contracts/agent/asks';
import { inject, provide, type InjectionKey, type Ref } from 'vue';
import type { Failure } from '../../api/index.ts';
import type { ChatThread } from './create-thread.ts';

const key: InjectionKey<ChatThread> = Symbol('thread');

/** The thread of the page, for the parts below it. */
export const provideThread = (thread: ChatThread): void => provide(key, thread);

export const useThread = (): ChatThread => {
  const thread = inject(key);
  if (thread === undefined) throw new Error('No thread was provided');
  return thread;
};

/** The questions that a page shows, and how one is answered. */
export interface Asking {
  asks: Readonly<Ref<readonly { requestId: string }[]>>;
  /** Resolves to its failure, or to null. */
  confirm(requestId: string, answer: AskAnswer): Promise<Failure | null>;
}

const askingKey: InjectionKey<Asking> = Symbol('asking');

/** Answers questions outside of a thread. */
export const provideAsking = (asking: Asking): void => provide(askingKey, asking);

export const useAsking = (): Asking => inject(askingKey, undefined) ?? useThread();
