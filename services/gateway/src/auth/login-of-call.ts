import { ApiError } from '@cobro/contracts'
import type { Request } from 'express'
import { readCredentials } from '../callers/credentials.ts'
import type { TokenLogin } from '../refresh-tokens/refresh-tokens.ts'
import { verifyAccessToken } from './access-token.ts'
import type { LoginDeps } from './user-login.ts'

/** Returns the login of a call's token, which has been verified once to identify the caller. */
export async function loginOf({ tokens }: Pick<LoginDeps, 'tokens'>, request: Request): Promise<TokenLogin> {
  const credentials = readCredentials(request.headersDistinct)
  const login = credentials.kind === 'token' ? await verifyAccessToken(tokens, credentials.token) : undefined
  if (!login) throw new ApiError('unauthorized')
  return login
}
