import type { Caller, Id, ServiceName } from '@cobro/contracts'
import { newId } from '@cobro/contracts'
import { exportJWK, generateKeyPair } from 'jose'
import { identitySigner } from './identity.ts'
import { internalHeaders } from './internal-headers.ts'

/** Replaces the gateway in tests of a service: its public keys and the headers of any caller. */
export async function testIdentity(service: ServiceName) {
  const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  const kid = newId('key')
  const sign = await identitySigner({ ...(await exportJWK(privateKey)), kid, alg: 'EdDSA' })
  return {
    /** The setting INTERNAL_JWKS. */
    jwks: { keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'EdDSA' }] },
    headers: async (caller: Caller): Promise<Record<string, string>> => ({
      [internalHeaders.identity]: await sign(caller, service),
      [internalHeaders.requestId]: newId('req'),
    }),
  }
}

/** Returns an API key of a merchant as a caller. */
export function keyCaller(merchant_id: Id<'mrc'> = newId('mrc')): Extract<Caller, { kind: 'key' }> {
  return { kind: 'key', id: newId('key'), merchant_id, merchant_name: 'Café Azul', merchant_status: 'active' }
}

/** Returns a user of a merchant as a caller. */
export function clientCaller(merchant_id: Id<'mrc'> = newId('mrc')): Extract<Caller, { kind: 'client' }> {
  return { ...keyCaller(merchant_id), kind: 'client', id: newId('usr') }
}

/** Returns an operator of all merchants or of a list, which may state one. */
export function operatorCaller(
  merchants: 'all' | Id<'mrc'>[] = 'all',
  stated?: Id<'mrc'>,
): Extract<Caller, { kind: 'operator' }> {
  const merchant = stated ? { merchant_id: stated, merchant_name: 'Café Azul', merchant_status: 'active' as const } : {}
  return { kind: 'operator', id: newId('usr'), merchants, ...merchant }
}
