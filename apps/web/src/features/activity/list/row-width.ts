/** The width of a list from which its rows have one line, in pixels. */
export const wideRowPx = 768;
