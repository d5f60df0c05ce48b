import type { Caller } from '@cobro/contracts'
import type { checkoutUnderTest } from './checkout-service.ts'

type Service = Awaited<ReturnType<typeof checkoutUnderTest>>

/** An answer, its body looked into field by field. */
export interface CheckoutAnswer {
  status: number
  headers: Headers
  body: any
}

export const payer = { kind: 'payer' } as const

/** Calls the service under test as anybody. It is asked for at each call, after the caller's own `beforeAll`. */
export function callsTo(service: () => Service) {
  return async (
    caller: Caller,
    method: string,
    path: string,
    body?: object | string,
    headers: Record<string, string> = {},
  ): Promise<CheckoutAnswer> => {
    const { url, headers: headersOf } = service()
    const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...(await headersOf(caller)), ...json, ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
}
