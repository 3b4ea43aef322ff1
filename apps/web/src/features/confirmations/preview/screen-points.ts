import type { Confirmation } from '@drawbridge/contracts/confirmation';

export interface Size {
  width: number;
  height: number;
}
export interface Point {
  x: number;
  y: number;
}
type Asked = Pick<Confirmation, 'toolGroup' | 'tool' | 'arguments'>;

/** A machine shrinks larger screenshots to this, in pixels. */
const longestSide = 1_024;
/** How far the aspect ratio that the call gives may be from the screenshot's, as on the machine. */
const tolerance = 0.05;

type Names = readonly [x: string, y: string];
const one: readonly Names[] = [['x', 'y']];
const fromAndTo: readonly Names[] = [
  ['fromX', 'fromY'],
  ['toX', 'toY'],
];
const argumentsOf: ReadonlyMap<string, readonly Names[]> = new Map([
  ['mouse_move', one],
  ['mouse_click', one],
  ['mouse_double_click', one],
  ['mouse_scroll', one],
  ['mouse_drag', fromAndTo],
]);

const isWhole = (value: unknown): value is number => Number.isInteger(value);

/** The points of a mouse call: one, or start and end of a drag. Empty for another call. */
export const pointsOf = ({ toolGroup, tool, arguments: args }: Asked): Point[] => {
  const names = toolGroup === 'computer' ? (argumentsOf.get(tool) ?? []) : [];
  const points = names.flatMap(([atX, atY]) => {
    const [x, y] = [args[atX], args[atY]];
    return isWhole(x) && isWhole(y) ? [{ x, y }] : [];
  });
  return points.length === names.length ? points : [];
};

const seenSize = ({ screenWidth: width, screenHeight: height }: Asked['arguments'], picture: Size) => {
  if (width === undefined && height === undefined)
    // Points are pixels of the screen, which a smaller screenshot shows one to one.
    return Math.max(picture.width, picture.height) < longestSide ? picture : null;
  if (!isWhole(width) || !isWhole(height) || width < 1 || height < 1) return null;
  const bend = width / height / (picture.width / picture.height);
  return Math.abs(bend - 1) > tolerance ? null : { width, height };
};

/** The points of a mouse call in pixels of a screenshot; null where it is not known where they are in it. */
export const marksOn = (asked: Asked, picture: Size): Point[] | null => {
  const seen = seenSize(asked.arguments, picture);
  const points = pointsOf(asked);
  if (seen === null || points.some(({ x, y }) => x < 0 || y < 0 || x >= seen.width || y >= seen.height))
    return null;
  return points.map(({ x, y }) => ({
    x: ((x + 0.5) * picture.width) / seen.width,
    y: ((y + 0.5) * picture.height) / seen.height,
  }));
};
