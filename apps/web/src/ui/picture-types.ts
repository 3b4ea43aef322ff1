const shown: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Whether a file of this media type is shown as a picture. */
export const isPicture = (mediaType: string): boolean => shown.has(mediaType);
