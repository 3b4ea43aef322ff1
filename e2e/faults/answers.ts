/** The answer to a question. `both` clicks allow and deny at once; `never` leaves it open until its call ends. */
export const answers = ['allow', 'allow-session', 'deny', 'refuse', 'both', 'never'] as const;
export type PlannedAnswer = (typeof answers)[number];

export const usualAnswers: PlannedAnswer[] = [
  ...(['allow', 'allow', 'allow', 'allow'] as const),
  ...(['allow-session', 'deny', 'refuse', 'both', 'never'] as const),
];
