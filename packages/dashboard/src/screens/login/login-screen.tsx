import { type ReactNode, useState } from 'react'
import { Button } from 'react-aria-components'
import { session } from '../../api/browser-session.tsx'
import type { EndReason } from '../../api/session.ts'
import buttons from '../../parts/buttons.module.css'
import { useTitle } from '../../parts/use-title.ts'
import { useTexts } from '../../text/locale.tsx'
import { loginTexts } from '../../text/login-texts.ts'
import { CodeForm } from './code-form.tsx'
import styles from './login.module.css'
import { PasswordForm } from './password-form.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

type Step =
  | { kind: 'password' }
  | { kind: 'code'; mfaToken: string; secret?: string }
  | { kind: 'recovery'; codes: string[]; proceed: () => void }

/** Logs in by password, and by a code where the user has a second factor or has to set one up. */
export default function LoginScreen({ reason }: { reason: EndReason | undefined }) {
  const texts = useTexts(loginTexts)
  useTitle(texts.title)
  const [step, setStep] = useState<Step>({ kind: 'password' })
  const askForCode = async (mfaToken: string, needsSetup: boolean) => {
    if (!needsSetup) return setStep({ kind: 'code', mfaToken })
    const { secret } = await session.setUpFactor(mfaToken)
    setStep({ kind: 'code', mfaToken, secret })
  }
  if (step.kind === 'recovery')
    return (
      <Panel title={texts.recoveryTitle}>
        <RecoveryCodes codes={step.codes} proceed={step.proceed} />
      </Panel>
    )
  if (step.kind === 'code')
    return (
      <Panel title={step.secret ? texts.factorTitle : texts.title}>
        <CodeForm
          mfaToken={step.mfaToken}
          secret={step.secret}
          back={() => setStep({ kind: 'password' })}
          showCodes={(codes, proceed) => setStep({ kind: 'recovery', codes, proceed })}
        />
      </Panel>
    )
  return (
    <Panel title={texts.title}>
      {reason && (
        <p className={styles.hint} role="status">
          {texts.reasons[reason]}
        </p>
      )}
      {reason === 'unreachable' && (
        <Button className={buttons.plain} onPress={() => void session.resume()}>
          {texts.retry}
        </Button>
      )}
      {reason === 'not_logged_out' && (
        <Button className={buttons.plain} onPress={() => void session.logOut()}>
          {texts.logOutAgain}
        </Button>
      )}
      <PasswordForm askForCode={askForCode} />
    </Panel>
  )
}

function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className={styles.page}>
      <div className={styles.panel}>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  )
}
