import { ref, watchEffect, type Ref } from 'vue';

export const appearances = ['light', 'dark', 'system'] as const;
export type Appearance = (typeof appearances)[number];

const storageKey = 'drawbridge-appearance';

const stored = (): Appearance => {
  try {
    return appearances.find((known) => known === localStorage.getItem(storageKey)) ?? 'system';
  } catch {
    return 'system';
  }
};

/** A browser may refuse to keep data: then the choice holds until the page is closed. */
const store = (appearance: Appearance): void => {
  try {
    localStorage.setItem(storageKey, appearance);
  } catch {}
};

const choice = ref<Appearance>(stored());

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
    store(choice.value);
  });
};

export const useAppearance = (): Ref<Appearance> => choice;
