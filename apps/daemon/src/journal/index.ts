export { openJournal, type Journal } from './journal.ts';
export { missingFromJournal } from './lost.ts';
export { journalFolder, openJournalDirectory, type OpenedJournal } from './journal-directory.ts';
