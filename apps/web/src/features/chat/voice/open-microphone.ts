import type { Failure } from '../../../api/index.ts';

const failureOf = (message: string, fix: string): Failure => ({ code: 'MICROPHONE', message, fix });

const refusals: Record<string, Failure> = {
  NotAllowedError: failureOf(
    'This page may not use the microphone',
    'Allow it for this site in the settings of your browser, and try again.',
  ),
  NotFoundError: failureOf('No microphone was found', 'Connect one, and try again.'),
};

const unusable = failureOf(
  'The microphone cannot be used',
  'Close other programs that record, and try again.',
);

/** The microphone, or why it cannot be used. The browser asks the person. */
export const openMicrophone = async (): Promise<MediaStream | Failure> => {
  if (!window.isSecureContext)
    return failureOf(
      'Browsers offer the microphone on https pages only',
      'Open this page by https, or as http://localhost on the machine of the server.',
    );
  if (!('MediaRecorder' in window) || !('mediaDevices' in navigator))
    return failureOf('This browser cannot record', 'Use another browser.');
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: true });
  } catch (error) {
    return refusals[error instanceof Error ? error.name : ''] ?? unusable;
  }
};

const types = ['audio/webm;codecs=opus', 'audio/mp4', 'audio/ogg;codecs=opus'];

/** The first type that this browser records; undefined leaves it to the browser. */
export const recordedType = (): string | undefined =>
  types.find((type) => MediaRecorder.isTypeSupported(type));
