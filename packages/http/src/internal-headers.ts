import type { IncomingMessage } from 'node:http'

/** Headers between the gateway and services. The gateway removes them from all client traffic. */
export const internalHeaders = {
  /** The caller, as a signed token that expires after 30 s. */
  identity: 'x-cobro-identity',
  /** The request id, made by the gateway. */
  requestId: 'x-cobro-request-id',
  /** In calls of payers: the client's address, or its IPv6 /64 network, for limits of services by client. */
  clientAddress: 'x-cobro-client-address',
  /** In responses: the payment lifecycle that the call belongs to. */
  correlationId: 'x-cobro-correlation-id',
  /** In responses: the merchant whose object was concerned, also for calls of payers. */
  merchantId: 'x-cobro-merchant-id',
  /** In error responses: the error's code, without its detail. */
  errorCode: 'x-cobro-error-code',
} as const

/** Returns the address of a payer's call as the gateway sends it. A gateway of the release before sends none. */
export function clientAddressOf({ headers }: IncomingMessage): string | undefined {
  const address = headers[internalHeaders.clientAddress]
  return typeof address === 'string' ? address : undefined
}
