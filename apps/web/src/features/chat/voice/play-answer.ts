/** Ends what is played: one answer at a time. */
let stopPlaying = () => {};

const unplayable = 'The browser cannot play this audio';

/** Plays an audio to its end, or until the signal aborts or another one begins. Throws where it cannot. */
export const playAnswer = async (audio: Blob, ending: AbortController): Promise<void> => {
  stopPlaying();
  stopPlaying = () => ending.abort();
  const { signal } = ending;
  const url = URL.createObjectURL(audio);
  const player = new Audio(url);
  try {
    await new Promise<void>((resolve, reject) => {
      player.addEventListener('ended', () => resolve());
      signal.addEventListener('abort', () => resolve());
      player.play().catch((error: unknown) => {
        const isRefused = error instanceof Error && error.name === 'NotAllowedError';
        reject(new Error(isRefused ? 'The browser plays no sound yet: press Listen again' : unplayable));
      });
      player.addEventListener('error', () => reject(new Error(unplayable)));
    });
  } finally {
    player.pause();
    URL.revokeObjectURL(url);
  }
};
