/** A fault that its message explains well enough: one sentence, shown without a stack. The launcher marks its own the same. */
export const commandFault = (message: string) => Object.assign(new Error(message), { plain: true })

/** What is shown of an error: the sentence alone where it is one, everything where nobody foresaw it. */
export function describeCommandFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'plain' in error ? error.message : `${error.stack}`
}
