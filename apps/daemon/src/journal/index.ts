export { openJournal, type Found, type Journal } from './journal.ts';
export { missingFromJournal } from './lost.ts';
export { openJournalRoom } from './room.ts';
