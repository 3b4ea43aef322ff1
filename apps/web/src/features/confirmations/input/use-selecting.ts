import { inject, provide, ref, type InjectionKey, type Ref } from 'vue';

/** Whether questions are selected, and the one that is shown is among them. */
export type Selecting = 'this' | 'others' | null;

const selectingKey: InjectionKey<Readonly<Ref<Selecting>>> = Symbol('selecting');

/** Unless it is null, questions are selected, and the one that is shown takes no answer. */
export const provideSelecting = (selecting: Readonly<Ref<Selecting>>): void =>
  provide(selectingKey, selecting);

/** Whether questions are selected, so that the one on the page waits. */
export const useSelecting = (): Readonly<Ref<Selecting>> => inject(selectingKey, () => ref(null), true);
