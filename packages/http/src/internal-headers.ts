/** Headers between the gateway and services. The gateway removes them from all client traffic. */
export const internalHeaders = {
  /** The caller, as a signed token that expires after 30 s. */
  identity: 'x-cobro-identity',
  /** The request id, made by the gateway. */
  requestId: 'x-cobro-request-id',
  /** In responses: the payment lifecycle that the call belongs to. */
  correlationId: 'x-cobro-correlation-id',
  /** In responses: the merchant whose object was concerned, also for calls of payers. */
  merchantId: 'x-cobro-merchant-id',
} as const
