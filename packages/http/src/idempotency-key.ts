import { createHash } from 'node:crypto'
import { ApiError, acceptsIdempotencyKey, type Caller, type Operation } from '@cobro/contracts'
import type { KeyedCall } from '@cobro/runtime'
import type { Request } from 'express'
import { rejectText } from './read-body.ts'

const shape = /^[\x20-\x7e]{1,255}$/

/**
 * Returns a call's Idempotency-Key in its scope; undefined if absent or if not accepted here.
 * A stored answer with a secret is returned only to its caller: the hash of the body includes who called.
 */
export function keyedCall(operation: Operation, request: Request, caller: Caller): KeyedCall | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined || !acceptsIdempotencyKey(operation)) return undefined
  if (typeof key !== 'string' || !shape.test(key)) {
    throw new ApiError('invalid_request', 'Idempotency-Key: expected 1 to 255 printable ASCII characters')
  }
  rejectText(key, 'Idempotency-Key')
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  return {
    id: sha256(JSON.stringify([scopeOf(operation, caller, request.params), operation.method, request.path, key])),
    body_hash: operation.secret && 'id' in caller ? sha256(`${caller.id} ${sha256(bytes)}`) : sha256(bytes),
    lease: operation.idempotency === 'none' ? undefined : operation.idempotency?.lease,
    secret: operation.secret ?? false,
  }
}

/** Returns a key's scope: the merchant, or else the caller, or for payers the session or link. */
function scopeOf({ tenant }: Operation, caller: Caller, params: Request['params']): string {
  if (tenant && 'merchant_id' in caller && caller.merchant_id !== undefined) return caller.merchant_id
  return 'id' in caller ? caller.id : String(params.id ?? caller.kind)
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex')
}
