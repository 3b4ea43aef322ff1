import { h, type FunctionalComponent } from 'vue';

/** What stands for a hidden character: text of its own, which is selected and copied as it is shown. */
export const HiddenMark: FunctionalComponent<{ text: string }> = ({ text }) =>
  h(
    'mark',
    {
      class: 'mx-px rounded bg-(--mark) px-1 font-mono text-[0.85em] text-warning',
      title: 'Invisible character',
    },
    text,
  );
HiddenMark.props = ['text'];
