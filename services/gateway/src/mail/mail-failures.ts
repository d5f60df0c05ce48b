/** What an attempt to send a mail failed with. */
interface MailError {
  code?: string
  command?: string
  permanent?: boolean
  responseCode?: number
  /** The server's answer. */
  response?: string
}

/** The commands whose rejection is about the recipient or the content. Others are about us: our sender, our login. */
const aboutMail = new Set(['RCPT TO', 'DATA'])

/** Rejections of us, not of the mail: by a policy, such as a list of addresses or no right to relay, or by our quota. */
const isAboutUs = ({ response = '', responseCode }: MailError) =>
  /^\d{3}[ -]5\.7\./.test(response) || responseCode === 552

/** Returns whether a server has rejected a mail for good, so that no further attempt can succeed. */
export function isBounce(error: unknown): boolean {
  const { permanent, command } = error as MailError
  return permanent === true && aboutMail.has(command ?? '') && !isAboutUs(error as MailError)
}

/** Returns the codes of an error: its texts may contain addresses. */
export function failureText(error: unknown): string {
  const { code = 'unknown', responseCode, command } = error as MailError
  return [code, responseCode, command].filter(part => part !== undefined).join(' ')
}

const firstDelayMs = 60_000
const maxDelayMs = 6 * 3_600_000

/** Returns the delay after an attempt, the first being 1: one minute, then twice as long each time, at most six hours. */
export function mailBackoffMs(attempt: number): number {
  return Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs)
}
