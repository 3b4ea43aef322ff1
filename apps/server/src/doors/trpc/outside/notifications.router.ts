import {
  changeDeviceInput,
  changeNotificationsInput,
  configureNoticesInput,
  noticeAnswerInput,
  pushEndpoint,
  setWebhookInput,
} from '@drawbridge/contracts/outside/notifications';
import { ok, ownerProcedure, router, userProcedure } from '../trpc.ts';

/** How a person learns of questions, and of the end of runs, outside of the panel. */
export const notificationsRouter = router({
  get: userProcedure.query(({ ctx }) => ctx.notifications.settings(ctx.userId)),
  change: userProcedure
    .input(changeNotificationsInput)
    .mutation(({ ctx, input }) => ok(ctx.notifications.change(ctx.userId, input))),
  /** The most that devices may answer. */
  configure: ownerProcedure
    .input(configureNoticesInput)
    .mutation(({ ctx, input }) => ok(ctx.notifications.configure(input.mostAnswers))),
  /** A device of this session. */
  device: userProcedure
    .input(pushEndpoint)
    .query(({ ctx, input }) => ctx.notifications.devices.settings(ctx.session, input.endpoint)),
  changeDevice: userProcedure
    .input(changeDeviceInput)
    .mutation(({ ctx, input }) => ok(ctx.notifications.devices.setAnswers(ctx.session, input))),
  /** From the notification itself, by the device that shows it. */
  answer: userProcedure
    .input(noticeAnswerInput)
    .mutation(({ ctx, input }) => ctx.answerNotice(ctx.session, input)),
  /** The secret is shown once: the store keeps it encrypted. */
  setWebhook: userProcedure
    .input(setWebhookInput)
    .mutation(({ ctx, input }) => ctx.notifications.setWebhook(ctx.userId, input.url)),
  removeWebhook: userProcedure.mutation(({ ctx }) => ok(ctx.notifications.removeWebhook(ctx.userId))),
  testDevice: userProcedure
    .input(pushEndpoint)
    .mutation(({ ctx, input }) => ctx.notifications.testDevice(ctx.userId, input.endpoint)),
  testWebhook: userProcedure.mutation(({ ctx }) => ctx.notifications.testWebhook(ctx.userId)),
});
