import { prosePiecesOf } from '@drawbridge/kit';
import { h, Text, type VNode } from 'vue';
import { HiddenMark } from '../../../ui/text/hidden-mark.ts';

/** A text with its hidden characters written out, as they are copied too. */
export const proseNodes = (text: string): VNode[] =>
  prosePiecesOf(text).map((piece) =>
    piece.kind === 'escape' ? h(HiddenMark, { text: piece.text }) : h(Text, piece.text),
  );

/** A text as it is shown, with its hidden characters written out. */
export const proseText = (text: string): string =>
  prosePiecesOf(text)
    .map((piece) => piece.text)
    .join('');
