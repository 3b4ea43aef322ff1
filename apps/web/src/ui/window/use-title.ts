import { watchEffect } from 'vue';

/** The document's title: the number of open questions, then the page. */
const titleOf = (waiting: number, page: string | undefined): string =>
  `${waiting > 0 ? `(${waiting}) ` : ''}${page ? `${page} · ` : ''}Drawbridge`;

export const useTitle = (waiting: () => number, page: () => string | undefined): void => {
  watchEffect(() => {
    document.title = titleOf(waiting(), page());
  });
};
