/** A failure that was reported already: only the exit code is left. */
export class AlreadyReported extends Error {}
