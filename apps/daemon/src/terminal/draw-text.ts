import { piecesOf, visible, visibleLines, type Piece } from '@drawbridge/kit';

/** U+2068 and U+2069 keep a right-to-left word in its place on a terminal that reorders text. */
const isolated = (word: string) => `\u2068${word}\u2069`;

const draw = (text: string, plain: (text: string) => string): string =>
  piecesOf(text)
    .map((piece: Piece) => {
      switch (piece.kind) {
        case 'plain':
          return plain(piece.text);
        case 'right-to-left':
          return isolated(piece.text);
        case 'escape':
          return piece.text;
        default:
          return piece.kind satisfies never;
      }
    })
    .join('');

export const drawText = (text: string): string => draw(text, visible);

export const drawLines = (text: string): string => draw(text, visibleLines);
