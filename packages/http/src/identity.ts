import { ApiError, type Caller, caller as callerSchema, isId, type ServiceName } from '@cobro/contracts'
import { inProduction, jsonText, strongJwks } from '@cobro/runtime'
import { createLocalJWKSet, importJWK, type JSONWebKeySet, type JWK, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { internalHeaders } from './internal-headers.ts'
import type { Authenticate } from './mount-routes.ts'

const issuer = 'cobro-gateway'
const typ = 'cobro-internal+jwt'
const algorithm = 'EdDSA'
/** The gateway may reuse a token for 15 s, and a service reads it after the body, which may take 30 s to arrive. */
const lifetimeSeconds = 60
/** More tokens than a service sees in that time. The oldest are evicted first. */
const maxCachedTokens = 10_000

const publicKey = z
  .looseObject({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string(), kid: z.string() })
  .refine(key => !('d' in key), { error: 'expected public keys alone' })

/** The setting INTERNAL_JWKS: the gateway's current and next public keys as a JSON key set. */
export const internalJwks = inProduction(
  jsonText.pipe(z.object({ keys: z.array(publicKey).min(1) })).transform(keys => keys as JSONWebKeySet),
  strongJwks,
).describe("The gateway's public keys, the current and the next, as a JSON key set")

/** Returns a signer of identities, valid for a minute. The key is a private Ed25519 JWK with a kid. */
export async function identitySigner(privateKey: JWK) {
  if (!privateKey.kid) throw new Error('The internal signing key needs a kid.')
  const key = await importJWK(privateKey, algorithm)
  return (caller: Caller, audience: ServiceName): Promise<string> =>
    new SignJWT({ caller })
      .setProtectedHeader({ alg: algorithm, typ, kid: privateKey.kid as string })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(`${lifetimeSeconds}s`)
      .sign(key)
}

/**
 * Returns a service's authentication, which rejects calls without a valid gateway token with 401.
 * Caches verified tokens until they expire: verifying took a sixth of a read's time. The gateway reuses one for 15 s.
 */
export function verifyIdentity(
  keys: JSONWebKeySet,
  audience: ServiceName,
  maxCached: number = maxCachedTokens,
): Authenticate {
  const jwks = createLocalJWKSet(keys)
  const options = {
    issuer,
    audience,
    typ,
    algorithms: [algorithm],
    requiredClaims: ['exp', 'caller'],
    clockTolerance: 5,
  }
  const cached = new Map<string, JWTPayload>()
  const payloadOf = async (token: string): Promise<JWTPayload> => {
    const found = cached.get(token)
    if (found && Date.now() < Number(found.exp) * 1000) return found
    cached.delete(token)
    const { payload } = await jwtVerify(token, jwks, options).catch(cause => {
      throw new ApiError('unauthorized', undefined, { cause })
    })
    cached.set(token, payload)
    const [oldest] = cached.keys()
    if (cached.size > maxCached && oldest !== undefined) cached.delete(oldest)
    return payload
  }
  return async request => {
    const token = request.headers[internalHeaders.identity]
    const requestId = request.headers[internalHeaders.requestId]
    if (typeof token !== 'string') throw new ApiError('unauthorized')
    const payload = await payloadOf(token)
    // Parsed for each call, so that no call can change the caller of another.
    const caller = callerSchema.safeParse(payload.caller)
    if (!caller.success) throw new ApiError('unauthorized', undefined, { cause: caller.error })
    return { caller: caller.data, request_id: isId('req', requestId) ? requestId : null }
  }
}
