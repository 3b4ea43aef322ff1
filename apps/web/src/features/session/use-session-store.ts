import type { SignedIn, User } from '@drawbridge/contracts/accounts';
import { defineStore } from 'pinia';
import { computed, ref } from 'vue';
import {
  drafts,
  failureOf,
  readUser,
  sessionProof,
  signOut as endSession,
  useApi,
  type Failure,
} from '../../api/index.ts';

type Session =
  | { kind: 'unknown' }
  | { kind: 'unreachable'; failure: Failure }
  | { kind: 'set-up-needed' }
  | { kind: 'signed-out' }
  | { kind: 'signed-in'; user: User };

/** The signed-in user. */
export const useSessionStore = defineStore('session', () => {
  const api = useApi();
  const session = ref<Session>({ kind: 'unknown' });
  const user = computed(() => (session.value.kind === 'signed-in' ? session.value.user : null));

  /** Loads the session from the server; never throws. */
  const load = async () => {
    try {
      const me = await readUser(api);
      if (me) {
        session.value = { kind: 'signed-in', user: me };
        return;
      }
      const { needed } = await api.setup.status.query();
      session.value = { kind: needed ? 'set-up-needed' : 'signed-out' };
    } catch (error) {
      session.value = { kind: 'unreachable', failure: failureOf(error) };
    }
  };

  /** Signs in a new account, or one with a new password. */
  const enter = ({ sessionProof: proof, ...me }: SignedIn) => {
    sessionProof.write(proof);
    session.value = { kind: 'signed-in', user: me };
  };

  const leave = () => {
    drafts.clear();
    session.value = { kind: 'signed-out' };
  };

  const lastTasks = new Set<() => Promise<unknown>>();
  /** What is done with the session before the user ends it. */
  const beforeSignOut = (task: () => Promise<unknown>) => void lastTasks.add(task);

  /** Ends the session; resolves to its failure, or to null. */
  const signOut = async (): Promise<Failure | null> => {
    await Promise.all([...lastTasks].map((task) => task()));
    const reply = await endSession();
    if (!reply.ok) return reply.failure;
    leave();
    return null;
  };

  return { session, user, load, enter, leave, beforeSignOut, signOut };
});
