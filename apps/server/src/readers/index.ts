export { subscribe, type ReaderEvent, type SubscribeInput } from './subscribe.ts';
export type { Topic } from './topics.ts';
