/** A failure that was reported already: only the exit code is left. */
export class AlreadyTold extends Error {}
