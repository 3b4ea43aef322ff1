import {
  channelCodeIdInput,
  channelGroupInput,
  channelKindInput,
  channelSenderInput,
  configureChannelInput,
  connectChannelInput,
  createChannelCodeInput,
  updateChannelGroupInput,
  updateChannelSenderInput,
} from '@drawbridge/contracts/outside/channels';
import {
  addChannelRuleInput,
  channelRuleIdInput,
  orderChannelRulesInput,
  updateChannelRuleInput,
} from '@drawbridge/contracts/outside/channel-rules';
import { speakInput, understandInput } from '@drawbridge/contracts/outside/voice';
import { ok, ownerProcedure, router, userProcedure } from '../trpc.ts';

/** Codes of the person: each binds one sender. */
const codesRouter = router({
  list: userProcedure.query(({ ctx }) => ctx.channels.codes.list(ctx.userId)),
  create: userProcedure
    .input(createChannelCodeInput)
    .mutation(({ ctx, input }) => ctx.channels.codes.create(ctx.userId, input)),
  remove: userProcedure
    .input(channelCodeIdInput)
    .mutation(({ ctx, input }) => ok(ctx.channels.codes.remove(ctx.userId, input.id))),
});

/** The person's senders on chat platforms. */
const sendersRouter = router({
  list: userProcedure.query(({ ctx }) => ctx.channels.senders.list(ctx.userId)),
  update: userProcedure
    .input(updateChannelSenderInput)
    .mutation(({ ctx, input }) => ok(ctx.channels.senders.update(ctx.userId, input))),
  remove: userProcedure
    .input(channelSenderInput)
    .mutation(({ ctx, input: { kind, senderId } }) =>
      ok(ctx.channels.senders.remove(ctx.userId, kind, senderId)),
    ),
});

/** Groups in which the person's senders have named the bot. */
const groupsRouter = router({
  list: userProcedure.query(({ ctx }) => ctx.channels.groups.list(ctx.userId)),
  update: userProcedure
    .input(updateChannelGroupInput)
    .mutation(({ ctx, input }) => ok(ctx.channels.groups.update(ctx.userId, input))),
  remove: userProcedure
    .input(channelGroupInput)
    .mutation(({ ctx, input }) => ok(ctx.channels.groups.remove(ctx.userId, input))),
});

/** What the person wants done with messages, mails and emojis of their senders, in order. */
const rulesRouter = router({
  list: userProcedure.query(({ ctx }) => ctx.channels.rules.list(ctx.userId)),
  add: userProcedure
    .input(addChannelRuleInput)
    .mutation(({ ctx, input }) => ctx.channels.rules.add(ctx.userId, input)),
  update: userProcedure
    .input(updateChannelRuleInput)
    .mutation(({ ctx, input }) => ok(ctx.channels.rules.update(ctx.userId, input))),
  remove: userProcedure
    .input(channelRuleIdInput)
    .mutation(({ ctx, input }) => ok(ctx.channels.rules.remove(ctx.userId, input.id))),
  order: userProcedure
    .input(orderChannelRulesInput)
    .mutation(({ ctx, input }) => ok(ctx.channels.rules.order(ctx.userId, input.ids))),
});

/** Chat platforms from which people talk to the agent. */
export const channelsRouter = router({
  list: userProcedure.query(({ ctx }) => ctx.channels.list(ctx.session.user.isOwner)),
  /** The bot of a platform: one for the whole server. */
  configure: ownerProcedure
    .input(configureChannelInput)
    .mutation(({ ctx, input }) => ok(ctx.channels.configure(input))),
  /** Opens the platform's page of consent, from which the browser comes back to the door of channels. */
  connect: ownerProcedure
    .input(connectChannelInput)
    .mutation(({ ctx, input }) => ctx.channels.consent.begin(ctx.session, input)),
  test: ownerProcedure.input(channelKindInput).mutation(({ ctx, input }) => ctx.channels.test(input.kind)),
  codes: codesRouter,
  senders: sendersRouter,
  groups: groupsRouter,
  rules: rulesRouter,
});

const never = new AbortController().signal;

/** Recordings and speech of the panel. */
export const voiceRouter = router({
  status: userProcedure.query(({ ctx }) => ctx.voice.status()),
  understand: userProcedure
    .input(understandInput)
    .mutation(({ ctx, input, signal = never }) => ctx.voice.understand(ctx.userId, input.data, signal)),
  speak: userProcedure
    .input(speakInput)
    .mutation(({ ctx, input, signal = never }) => ctx.voice.speak(ctx.userId, input.text, signal)),
});
