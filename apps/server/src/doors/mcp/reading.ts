import type { Gateway } from '../../gateway/index.ts';
import type { CallWatch } from './run-call.ts';

interface NoteNeeds {
  gateway: Gateway;
  onError(error: unknown): void;
}

interface Answered {
  userId: string;
  requestId: string;
}

/** Keeps in mind when a client is gone before it had the outcome of its call. */
export const noteLeaving = (
  { gateway, onError }: NoteNeeds,
  { userId, requestId }: Answered,
  { read }: Pick<CallWatch, 'read'>,
): void => {
  read
    .then(async (isRead) => {
      if (!isRead) await gateway.repeats.unread(userId, requestId);
    })
    .catch(onError);
};

/** The same for the outcome of a call that was not read before: once it is, that is forgotten. */
export const noteReading = (
  { gateway, onError }: NoteNeeds,
  { userId, requestId }: Answered,
  { read }: Pick<CallWatch, 'read'>,
): void => {
  read
    .then((isRead) =>
      isRead ? gateway.repeats.read(userId, requestId) : gateway.repeats.unread(userId, requestId),
    )
    .catch(onError);
};
