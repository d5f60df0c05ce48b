import { type IdPrefix, idPrefixes, isId } from '@cobro/contracts'
import { maskPath } from '@cobro/runtime'
import { redactText } from './redact-text.ts'

const maxLength = 1_024

/** Name and password before a host: what else would stand in the header `Authorization`. */
const credentials = /^((?:[a-z][a-z0-9+.-]*:)?\/\/|(?!\/))[^/]*@/i

/** A request target as it may be recorded: without its query, card numbers and secrets, not longer than anybody reads. */
export function recordedPath(target: string): string {
  const [whole = ''] = target.split(/[?#]/, 1)
  return maskPath(whole.replace(credentials, '$1'), redactText).slice(0, maxLength)
}

/** The id of the object that a path is about: its first segment that is a well-formed id. */
export function targetIdOf(target: string): string | null {
  const [path = ''] = target.split(/[?#]/, 1)
  return path.split('/').find(isAnyId) ?? null
}

function isAnyId(segment: string): boolean {
  const [prefix = ''] = segment.split('_', 1)
  return Object.hasOwn(idPrefixes, prefix) && isId(prefix as IdPrefix, segment)
}
