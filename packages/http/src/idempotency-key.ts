import { createHash } from 'node:crypto'
import { ApiError, type Caller, type Operation } from '@cobro/contracts'
import type { Request } from 'express'
import { refuseText } from './read-body.ts'

/** An answer as it is sent: `body` is its JSON. */
export interface HttpAnswer {
  status: number
  body: string
}

/** A call that its client may repeat, for whoever keeps answers. */
export interface KeyedCall {
  /** The hash of the key within its scope: who calls, what, and on which object. */
  id: string
  /** The SHA-256 of the body's raw bytes. */
  body_hash: string
  lease: boolean
  secret: boolean
}

/** What makes a call with an Idempotency-Key have its effect once: `idempotencyOf` of the database package. */
export interface Idempotency {
  once(call: KeyedCall, carryOut: () => Promise<HttpAnswer>): Promise<HttpAnswer & { replayed: boolean }>
}

const shape = /^[\x20-\x7e]{1,255}$/

/** Whether calls of an operation may bear an Idempotency-Key. */
export function takesKey(operation: Operation): boolean {
  return operation.method === 'POST' && operation.idempotency !== 'none'
}

/** What a call's Idempotency-Key stands for; undefined where it bears none or the operation takes none. */
export function keyedCall(operation: Operation, request: Request, caller: Caller): KeyedCall | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined || !takesKey(operation)) return undefined
  if (typeof key !== 'string' || !shape.test(key)) {
    throw new ApiError('invalid_request', 'Idempotency-Key: expected 1 to 255 printable ASCII characters')
  }
  refuseText(key, 'Idempotency-Key')
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  return {
    id: sha256(JSON.stringify([scopeOf(operation, caller, request.params), operation.method, request.path, key])),
    body_hash: sha256(bytes),
    lease: operation.idempotency === 'lease',
    secret: operation.secret ?? false,
  }
}

/** Keys are the merchant's own; a payer's belong to the session or link; where no merchant is concerned, they are the caller's. */
function scopeOf({ tenant }: Operation, caller: Caller, params: Request['params']): string {
  if (tenant && 'merchant_id' in caller && caller.merchant_id !== undefined) return caller.merchant_id
  return 'id' in caller ? caller.id : String(params.id ?? caller.kind)
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex')
}
