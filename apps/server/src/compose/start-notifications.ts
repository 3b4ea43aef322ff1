import { errors } from '../errors.ts';
import { createMetaStore } from '../db/index.ts';
import { createSealer } from '../secrets/index.ts';
import { systemNetwork } from '../outside/index.ts';
import { createNodePush, createPushTokensStore } from '../nodes/index.ts';
import {
  createAnswerNotice,
  createAnswersStore,
  createMostAnswers,
  createNotifications,
  createNotifyStore,
  loadVapid,
  openMobileSenders,
  type ShownOnDevice,
} from '../notify/index.ts';
import type { Agent } from '@drawbridge/agent';
import type { Gateway } from '../gateway/index.ts';
import {
  createQuestionNow,
  noticeForm,
  type QuestionKey,
  type QuestionNowNeeds,
} from '../questions/index.ts';
import type { SettingsOfServer } from '../settings/index.ts';
import type { AppNeeds, OpenAccounts } from './open-accounts.ts';

interface Parts extends Pick<AppNeeds, 'config' | 'clock' | 'outside'> {
  opened: OpenAccounts;
  settings: SettingsOfServer;
  panels: { isOpen(userId: string): Promise<boolean> };
}

/** The push tokens of nodes, and what sends with them. */
const startNodePush = async ({ config, clock, opened, settings }: Parts) => {
  const { store, secret, log, tokens } = opened;
  const warn = (sentence: string) => log.warn(sentence);
  return createNodePush({
    clock,
    store: createPushTokensStore(store.db),
    sealer: createSealer(secret),
    senders: await openMobileSenders({ clock, environment: config, warn }),
    gates: async () => (await settings.get()).values.nodes,
    mayUseNodes: async (userId, id) =>
      (await tokens.list(userId)).some((one) => one.id === id && one.scopes.includes('node')),
    warn,
  });
};

/** Sends questions to devices, nodes and webhooks. */
export const startNotifications = async (parts: Parts) => {
  const { config, clock, outside, opened, panels } = parts;
  const { accounts, address, store, secret, scrubber, onError } = opened;
  const sealer = createSealer(secret);
  const meta = createMetaStore(store.db);
  const nodePush = await startNodePush(parts);
  const notifications = createNotifications({
    store: createNotifyStore(store.db),
    clock,
    answers: createAnswersStore(store.db),
    most: createMostAnswers(meta),
    outside: outside ?? systemNetwork,
    vapid: await loadVapid({ meta, sealer, dataDir: config.dataDir }),
    sealer,
    url: address.url,
    sendToNodes: nodePush.send,
    isOwner: async (userId) => userId === (await accounts.ownerId()),
    isPanelOpen: panels.isOpen,
    liveSessions: accounts.liveSessions,
    hide: scrubber.hide,
    onError,
  });
  return { notifications, nodePush };
};

/** A question as a notification shows it; null where it does not. */
export const shownOnDevice = async (
  needs: QuestionNowNeeds,
  key: QuestionKey,
): Promise<ShownOnDevice | null> => {
  const now = await createQuestionNow(needs, noticeForm)(key);
  return now.type === 'open' && now.shown !== null ? { ...key, shown: now.shown } : null;
};

interface AnswerParts extends Pick<AppNeeds, 'clock'> {
  opened: Pick<OpenAccounts, 'store' | 'log'>;
  gateway: Pick<Gateway, 'confirmations'>;
  agent: Agent | null;
}

/** Answers from notifications, given as the panel gives them. */
export const openAnswers = ({
  clock,
  opened: { store, log },
  gateway: { confirmations },
  agent,
}: AnswerParts) =>
  createAnswerNotice({
    clock,
    store: createNotifyStore(store.db),
    answers: createAnswersStore(store.db),
    most: createMostAnswers(createMetaStore(store.db)),
    agent,
    confirmation: confirmations.get,
    decide: async (userId, { askId, confirmationId }, answer) => {
      if (confirmationId !== null && answer.kind === 'resourceDecision') {
        const { resourceDecision } = answer;
        const approved = resourceDecision === 'allowOnce';
        const place = { notification: 'webPush' } as const;
        await confirmations.decide(userId, { confirmationId }, { approved, resourceDecision }, place);
        return;
      }
      if (agent === null) throw errors.confirmationClosed();
      await agent.confirm(userId, askId, answer);
    },
    log,
  });
