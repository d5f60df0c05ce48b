import { AuthenticationError } from '@cobro/sdk'
import { type CobroAdmin, createCobroAdmin, type Session, sessionOf } from '@cobro/sdk/admin'
import { tell } from '../output/print.ts'
import { askHidden } from './ask-hidden.ts'

/** Asks a user for the password, and for a code where one is needed, and logs in. */
export async function userSession(baseUrl: string, email: string): Promise<{ session: Session }> {
  const { auth } = createCobroAdmin({ baseUrl })
  const password = await askHidden('Password: ')
  try {
    return { session: sessionOf(await auth.login({ email, password })) }
  } catch (error) {
    if (!(error instanceof AuthenticationError && error.mfaToken)) throw error
    if (error.mfaSetup) await tellFactor(auth, error.mfaToken)
    const login = await auth.loginFactor({ mfa_token: error.mfaToken, code: await askHidden('Code: ') })
    if (login.recovery_codes) {
      tell('Keep these recovery codes. Each replaces a code of the app once:')
      for (const code of login.recovery_codes) tell(`  ${code}`)
    }
    return { session: sessionOf(login) }
  }
}

async function tellFactor(auth: CobroAdmin['auth'], mfa_token: string): Promise<void> {
  const { secret, uri } = await auth.setUpFactor({ mfa_token })
  tell('This deployment asks you for a second factor. Add it to your authenticator app:')
  tell(`  secret: ${secret}`)
  tell(`  URI: ${uri}`)
}
