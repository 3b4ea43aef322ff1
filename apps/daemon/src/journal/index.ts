export { openJournal, type Found, type Journal } from './journal.ts';
export { missingFromJournal } from './lost.ts';
export { journalFolder, openJournalRoom } from './room.ts';
