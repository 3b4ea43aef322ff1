import { useIntersectionObserver } from '@vueuse/core';
import { onScopeDispose, readonly, ref, type Ref } from 'vue';
import { readFile } from '../../../api/index.ts';
import { isPicture } from '../../../ui/window/files.ts';

/** Pictures this near to the window are read, in pixels. */
const nearPx = 400;

interface Picture {
  /** An object URL; empty while the file is not read. */
  url: Readonly<Ref<string>>;
  /** Why it is not shown, else empty. */
  problem: Readonly<Ref<string>>;
}

/** Reads a picture once `element` comes near the window; its URL is revoked with the caller's scope. */
export const usePicture = (fileId: string, element: () => HTMLElement | null): Picture => {
  const url = ref('');
  const problem = ref('');
  let isDisposed = false;

  const read = async () => {
    const file = await readFile(fileId);
    if (isDisposed) return;
    if (!(file instanceof Blob)) problem.value = file.message;
    else if (isPicture(file.type)) url.value = URL.createObjectURL(file);
    else problem.value = 'This type of picture is not shown';
  };
  const { stop } = useIntersectionObserver(
    element,
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      stop();
      void read();
    },
    { rootMargin: `${nearPx}px` },
  );
  onScopeDispose(() => {
    isDisposed = true;
    URL.revokeObjectURL(url.value);
  });
  return { url: readonly(url), problem: readonly(problem) };
};
