import type { IncomingMessage } from 'node:http'
import { ApiError } from '@cobro/contracts'
import type { RequestHandler } from 'express'
import { callOf } from './open-call.ts'

/** Every path of ours is made of these; whatever else a path holds (`..`, `//`, `%2f`, a backslash) it is none of ours. */
const plainPath = /^(?:\/|(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+\/?)$/

/** A name or an address, and perhaps a port: what a Host may say. Empty is what a client says that knows no name. */
const plainHost = /^(?:[\w.-]*|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** Refuses a call that is not on record, or whose head says what no call of ours may, before any route is looked for. */
export const checkRequestHead: RequestHandler = (request, response, next) => {
  const { refusal } = callOf(request)
  if (refusal) throw refusal
  const fault = ambiguity(request)
  if (fault) {
    // Nor is there agreement on where the next call would begin.
    response.set('Connection', 'close')
    throw new ApiError('invalid_request', fault)
  }
  const { url } = request
  if (!url.startsWith('/')) throw new ApiError('invalid_request', 'expected a path as the request target')
  if (!plainPath.test(url.split('?', 1)[0] ?? '')) throw new ApiError('not_found')
  next()
}

/** Why a head could be understood differently by two readers of it. */
function ambiguity({ httpVersion, headers, rawHeaders }: IncomingMessage): string | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'expected HTTP/1.1'
  if (httpVersion === '1.0' && headers['transfer-encoding']) return 'expected no Transfer-Encoding in HTTP/1.0'
  const hosts = rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) return 'expected one Host header'
  if (!plainHost.test(headers.host ?? '')) return 'expected a name and perhaps a port as Host'
  return undefined
}
