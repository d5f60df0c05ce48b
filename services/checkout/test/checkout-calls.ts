import type { Caller } from '@cobro/contracts'
import type { checkoutUnderTest } from './checkout-under-test.ts'

type Service = Awaited<ReturnType<typeof checkoutUnderTest>>

/** A response with an untyped body. */
export interface CheckoutAnswer {
  status: number
  headers: Headers
  body: any
}

export const payer = { kind: 'payer' } as const

/** Returns a function that calls the service as any caller. `service` may be set in `beforeAll`. */
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
