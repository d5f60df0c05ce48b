import type { OpenLogin } from '../api/session.ts'

/** Returns the scope in which a user begins: its merchant, or for operators all of theirs. */
export function homeScope({ merchant_id }: OpenLogin['user']): string {
  return merchant_id ?? 'all'
}
