import { type IdPrefix, idPrefixes, isId, operations } from '@cobro/contracts'
import { maskPath } from '@cobro/runtime'
import { recordedText, redactRecordedText } from './redact-recorded-text.ts'

const maxLength = 256

/** User name and password before a host, as in `//user:password@host`. */
const credentials = /^((?:[a-z][a-z0-9+.-]*:)?\/\/|(?!\/))[^/]*@/i

/** The paths of the operations that declare a target, with `:target` in its place. */
const pathsWithTarget = new Set(operations.map(({ path, target }) => target && path.replace(`:${target}`, ':target')))

/** Returns a request target without query, card numbers and secrets, cut at 256 characters. */
export function recordedPath(target: string): string {
  const path = pathOf(target).replace(credentials, '$1')
  return recordedText(path, maxLength, start => maskPath(start, redactRecordedText))
}

/** Returns the well-formed id in a path whose operations declare it as their target, or null. */
export function targetIdOf(target: string): string | null {
  const path = pathOf(target)
  const id = path.split('/').find(isAnyId)
  return id && pathsWithTarget.has(path.replace(id, ':target')) ? id : null
}

function pathOf(target: string): string {
  const end = target.search(/[?#]/)
  return end === -1 ? target : target.slice(0, end)
}

function isAnyId(segment: string): boolean {
  const prefix = segment.slice(0, Math.max(0, segment.indexOf('_')))
  return Object.hasOwn(idPrefixes, prefix) && isId(prefix as IdPrefix, segment)
}
