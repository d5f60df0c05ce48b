import { hasCardNumber, type IdPrefix, idPrefixes, isId, maskCardNumbers } from '@cobro/contracts'

const maxLength = 1_024

/** A request target as it may be recorded: without its query, without card numbers, not longer than anybody reads. */
export function recordedPath(target: string): string {
  const [path = ''] = target.split(/[?#]/, 1)
  const readable = decoded(path)
  const masked = hasCardNumber(readable) ? maskCardNumbers(readable) : maskCardNumbers(path)
  return masked.slice(0, maxLength)
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

/** Digits may hide behind percent signs. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
