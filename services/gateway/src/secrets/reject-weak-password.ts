import { ApiError } from '@cobro/contracts'

/** Lists at least the 10,000 most common passwords. Loaded when it is first needed: it has a megabyte. */
const commonPasswords = async () => new Set((await import('@zxcvbn-ts/language-common')).dictionary['passwords-common'])
let loading: ReturnType<typeof commonPasswords> | undefined

/** A shorter name is part of many good passwords. */
const minNameLength = 4

/** Throws a 400 for a password that attackers try first: a common one, one word repeated, or the user's e-mail. */
export async function rejectWeakPassword(password: string, email: string): Promise<void> {
  loading ??= commonPasswords()
  const common = await loading
  const text = password.toLowerCase()
  const part = repeatedPart(text)
  if (common.has(text) || common.has(part) || part.length < minNameLength)
    throw new ApiError('invalid_request', 'password: expected one that is not among the most common')
  const [name = ''] = email.toLowerCase().split('@')
  if (text.includes(email.toLowerCase()) || (name.length >= minNameLength && hasWord(text, name)))
    throw new ApiError('invalid_request', 'password: expected one without your e-mail address')
}

/** Returns whether a text has a word without letters around it: `rosa` in `rosa2026`, but not in `prosaic`. */
function hasWord(text: string, word: string): boolean {
  const [first = '', ...rest] = text.split(word)
  return rest.some((after, at) => !/\p{L}$/u.test(rest[at - 1] ?? first) && !/^\p{L}/u.test(after))
}

/** Returns the shortest text that repeated gives this text, which may be the text itself. */
function repeatedPart(text: string): string {
  return text.slice(0, (text + text).indexOf(text, 1))
}
