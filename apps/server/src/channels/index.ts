export { createChannels, type Channels } from './channels.ts';
