import { inject, provide, type InjectionKey } from 'vue';
import type { ChatThread } from './create-thread.ts';

const key: InjectionKey<ChatThread> = Symbol('thread');

/** The thread of the page, for the parts below it. */
export const provideThread = (thread: ChatThread): void => provide(key, thread);

export const useThread = (): ChatThread => {
  const thread = inject(key);
  if (thread === undefined) throw new Error('No thread was provided');
  return thread;
};
