import { ref, watchEffect, type Ref } from 'vue';
import { createStored } from '../../api/index.ts';

export const appearances = ['light', 'dark', 'system'] as const;
export type Appearance = (typeof appearances)[number];

const kept = createStored('drawbridge-appearance');
const choice = ref<Appearance>(appearances.find((known) => known === kept.read()) ?? 'system');

/** Applies the chosen appearance to the document, and stores it, from now on. */
export const applyAppearance = (): void => {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const systemDark = ref(dark.matches);
  dark.addEventListener('change', () => {
    systemDark.value = dark.matches;
  });
  watchEffect(() => {
    const isDark = choice.value === 'system' ? systemDark.value : choice.value === 'dark';
    document.documentElement.classList.toggle('dark', isDark);
    document.documentElement.style.colorScheme = isDark ? 'dark' : 'light';
    kept.write(choice.value);
  });
};

export const useAppearance = (): Ref<Appearance> => choice;
