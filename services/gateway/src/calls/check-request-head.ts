import type { IncomingMessage } from 'node:http'
import { ApiError } from '@cobro/contracts'
import type { RequestHandler } from 'express'
import { callOf } from './open-call.ts'
import { hasSingleSpaces } from './request-lines.ts'

/** The characters of the API's paths. Paths with `..`, `//`, `%2f` or a backslash are a 404. */
const plainPath = /^(?:\/|(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+\/?)$/

/** A host name or address, optionally with a port. HTTP allows an empty Host. */
const plainHost = /^(?:[\w.-]*|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** A line break in a query would forge lines in logs that decode it. */
const encodedLineBreak = /%0[ad]/i

/** Rejects a call that could not be recorded or whose request head is ambiguous, before routing. */
export const checkRequestHead: RequestHandler = (request, _response, next) => {
  const { rejection } = callOf(request)
  if (rejection) throw rejection
  const problem = ambiguities.get(request)
  if (problem) throw new ApiError('invalid_request', problem)
  const { url } = request
  if (!url.startsWith('/')) throw new ApiError('invalid_request', 'expected a path as the request target')
  if (encodedLineBreak.test(url)) throw new ApiError('invalid_request', 'expected no line breaks in the request target')
  if (!plainPath.test(url.split('?', 1)[0] ?? '')) throw new ApiError('not_found')
  next()
}

const ambiguities = new WeakMap<IncomingMessage, string>()

/**
 * Returns whether two HTTP parsers could understand the head of a request differently (request
 * smuggling). To be called once for each request, in the order in which they arrive.
 */
export function isAmbiguous(request: IncomingMessage): boolean {
  const problem = findAmbiguity(request)
  if (problem) ambiguities.set(request, problem)
  return problem !== undefined
}

function findAmbiguity(request: IncomingMessage): string | undefined {
  const { httpVersion, headers, rawHeaders } = request
  if (!hasSingleSpaces(request)) return 'expected single spaces in the request line'
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'expected HTTP/1.1'
  if (httpVersion === '1.0' && headers['transfer-encoding']) return 'expected no Transfer-Encoding in HTTP/1.0'
  // Node reads any list that ends with chunked, but only removes that coding.
  if ((headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked')
    return 'expected chunked or no Transfer-Encoding'
  const hosts = rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) return 'expected one Host header'
  if (!plainHost.test(headers.host ?? '')) return 'expected a name and perhaps a port as Host'
  return undefined
}
