import type { IncomingMessage } from 'node:http'
import { ApiError } from '@cobro/contracts'
import type { RequestHandler } from 'express'
import { callOf } from './open-call.ts'

/** Every path of ours is made of these; whatever else a path holds (`..`, `//`, `%2f`, a backslash) it is none of ours. */
const plainPath = /^(?:\/|(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+\/?)$/

/** Refuses a call that is not on record, or whose head says what no call of ours may, before any route is looked for. */
export const admitCall: RequestHandler = (request, _response, next) => {
  const { refusal } = callOf(request)
  if (refusal) throw refusal
  refuseAmbiguous(request)
  const { url } = request
  if (!url.startsWith('/')) throw new ApiError('invalid_request', 'expected a path as the request target')
  if (!plainPath.test(url.split('?', 1)[0] ?? '')) throw new ApiError('not_found')
  next()
}

/** Refuses a head that two readers could understand differently. */
function refuseAmbiguous({ httpVersion, rawHeaders }: IncomingMessage): void {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') throw new ApiError('invalid_request', 'expected HTTP/1.1')
  const hosts = rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) {
    throw new ApiError('invalid_request', 'expected one Host header')
  }
}
