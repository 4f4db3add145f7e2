/** Hours that the service knows and this program does not; the message is the reason, as in `… are not published`. */
export class UnknownHours extends Error {
  override readonly name = 'UnknownHours'
}
