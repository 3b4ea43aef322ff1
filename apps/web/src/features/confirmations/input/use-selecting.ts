import { inject, provide, ref, type InjectionKey, type Ref } from 'vue';

const selectingKey: InjectionKey<Readonly<Ref<boolean>>> = Symbol('selecting');

/** While it is true, questions are selected, and the one that is shown takes no answer. */
export const provideSelecting = (isSelecting: Readonly<Ref<boolean>>): void =>
  provide(selectingKey, isSelecting);

/** Whether questions are selected, so that the one on the page waits. */
export const useSelecting = (): Readonly<Ref<boolean>> => inject(selectingKey, () => ref(false), true);
