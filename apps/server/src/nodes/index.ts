export { createCompanionsStore } from './companions.store.ts';
export { createNodePush, type NodePush } from './node-push.ts';
export { createPresenceStore } from './presence.store.ts';
export { createCompanions, type Companions, type CompanionView } from './companions.ts';
export { createPresence, type KnownSender, type PresenceOfServer, type Sender } from './presence.ts';
export { createPushTokensStore } from './push-tokens.store.ts';
