import { ref, watchEffect, type Ref } from 'vue';

export const appearances = ['light', 'dark', 'system'] as const;
export type Appearance = (typeof appearances)[number];

const place = 'drawbridge-appearance';

const stored = (): Appearance =>
  appearances.find((known) => known === localStorage.getItem(place)) ?? 'system';

const choice = ref<Appearance>(stored());

/** Keeps the document in the chosen appearance, and the choice in the browser, from now on. */
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
    localStorage.setItem(place, choice.value);
  });
};

/** Light, dark, or what the system says. */
export const useAppearance = (): Ref<Appearance> => choice;
