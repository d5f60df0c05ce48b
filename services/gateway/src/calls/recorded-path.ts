import { type IdPrefix, idPrefixes, isId } from '@cobro/contracts'
import { maskPath } from '@cobro/runtime'
import { redactRecordedText } from './redact-recorded-text.ts'

const maxLength = 1_024

/** User name and password before a host, as in `//user:password@host`. */
const credentials = /^((?:[a-z][a-z0-9+.-]*:)?\/\/|(?!\/))[^/]*@/i

/** Returns a request target without query, card numbers and secrets, cut at 1,024 characters. */
export function recordedPath(target: string): string {
  const [whole = ''] = target.split(/[?#]/, 1)
  return maskPath(whole.replace(credentials, '$1'), redactRecordedText).slice(0, maxLength)
}

/** Returns the id of the object that a path names: its first segment that is a well-formed id. */
export function targetIdOf(target: string): string | null {
  const [path = ''] = target.split(/[?#]/, 1)
  return path.split('/').find(isAnyId) ?? null
}

function isAnyId(segment: string): boolean {
  const [prefix = ''] = segment.split('_', 1)
  return Object.hasOwn(idPrefixes, prefix) && isId(prefix as IdPrefix, segment)
}
