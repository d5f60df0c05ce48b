/** Headers between the gateway and the services. The gateway strips them from what clients send and from what they get. */
export const internalHeaders = {
  /** Who calls: a signed token of 30 s. */
  identity: 'x-cobro-identity',
  /** The id that the gateway made for the call. */
  requestId: 'x-cobro-request-id',
  /** On answers: the lifecycle that the call turned out to belong to. */
  correlationId: 'x-cobro-correlation-id',
  /** On answers: the merchant whose object was touched, also where a payer touched it. */
  merchantId: 'x-cobro-merchant-id',
} as const
