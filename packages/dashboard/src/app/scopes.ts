import type { OpenLogin } from '../api/open-login.ts'

/** Returns the scope in which a user begins: its merchant, or for operators all of theirs. */
export function homeScope({ merchant_id }: OpenLogin['user']): string {
  return merchant_id ?? 'all'
}

/** Returns whether a text can be a scope: `all`, or the id of a merchant. */
export const isScope = (text: string): boolean => text === 'all' || /^mrc_\w+$/.test(text)
