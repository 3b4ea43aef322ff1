export { subscribe, type ReaderEvent, type SubscribeInput } from './subscribe.ts';
export type { ReaderContext, Topic } from './topics.ts';
