import { errors } from '../common/errors.ts';
import type { Area, Point, ScreenSize } from './device-commands.ts';

const smallestSide = 32;
const largestSide = 32_768;
/** How far the shape that was given may be from the screen's: what rounding makes of a side of 32 pixels. */
const tolerance = 0.05;

/** The picture's size as the caller saw it; both sides or none, which means the screen's own pixels. */
export interface SeenScreen {
  screenWidth?: number | undefined;
  screenHeight?: number | undefined;
}

const refuse = (message: string) => errors.badArguments({ message });

const seenSize = ({ screenWidth, screenHeight }: SeenScreen, screen: ScreenSize): ScreenSize => {
  if (screenWidth === undefined && screenHeight === undefined) return screen;
  if (screenWidth === undefined || screenHeight === undefined)
    throw refuse('Give screenWidth and screenHeight, or neither');
  const sides = [screenWidth, screenHeight];
  if (sides.some((side) => !Number.isInteger(side) || side < smallestSide || side > largestSide))
    throw refuse(`screenWidth and screenHeight are between ${smallestSide} and ${largestSide}`);
  const bend = screenWidth / screenHeight / (screen.width / screen.height);
  if (Math.abs(bend - 1) > tolerance)
    throw refuse(
      `screenWidth and screenHeight are not those of a picture of this screen, which is ${screen.width} x ${screen.height}`,
    );
  return { width: screenWidth, height: screenHeight };
};

/** A point of the caller's picture on the screen. Throws `badArguments` for one outside. */
export const toScreen = ({ x, y }: Point, seen: SeenScreen, screen: ScreenSize): Point => {
  const size = seenSize(seen, screen);
  if (!Number.isInteger(x) || !Number.isInteger(y) || x < 0 || y < 0 || x >= size.width || y >= size.height)
    throw refuse(`${x}, ${y} is not on the screen, which is ${size.width} x ${size.height}`);
  return {
    x: Math.min(screen.width - 1, Math.round(((x + 0.5) * screen.width) / size.width - 0.5)),
    y: Math.min(screen.height - 1, Math.round(((y + 0.5) * screen.height) / size.height - 0.5)),
  };
};

/** The part of an area that is on the screen. Throws `badArguments` where nothing of it is. */
export const onScreen = ({ x, y, width, height }: Area, screen: ScreenSize): Area => {
  const left = Math.max(0, x);
  const top = Math.max(0, y);
  const right = Math.min(screen.width, x + width);
  const bottom = Math.min(screen.height, y + height);
  if (![x, y, width, height].every(Number.isInteger) || right <= left || bottom <= top)
    throw refuse(`This area is not on the screen, which is ${screen.width} x ${screen.height}`);
  return { x: left, y: top, width: right - left, height: bottom - top };
};
