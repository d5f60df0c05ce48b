import { type ReactNode, useState } from 'react'
import { session } from '../../api/browser-session.ts'
import type { EndReason } from '../../api/session.ts'
import buttons from '../../parts/buttons.module.css'
import { useTitle } from '../../parts/use-title.ts'
import { useTexts } from '../../text/locale.tsx'
import { loginTexts } from '../../text/login-texts.ts'
import { CodeForm, type NewFactor, type PasswordProof } from './code-form.tsx'
import styles from './login.module.css'
import { PasswordForm } from './password-form.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

type Step =
  | { kind: 'password' /** The step of which the time was over. */; late?: 'code' | 'factor' }
  | { kind: 'code'; proof: PasswordProof; factor?: NewFactor }
  | { kind: 'recovery'; codes: string[]; proceed: () => void }

/** Logs in by password, and by a code where the user has a second factor or has to set one up. */
export function LoginScreen({ reason }: { reason: EndReason | undefined }) {
  const texts = useTexts(loginTexts)
  useTitle(texts.title)
  const [step, setStep] = useState<Step>({ kind: 'password' })
  const askForCode = async (proof: PasswordProof, needsSetup: boolean) => {
    if (!needsSetup) return setStep({ kind: 'code', proof })
    setStep({ kind: 'code', proof, factor: await session.setUpFactor(proof.mfaToken) })
  }
  if (step.kind === 'recovery')
    return (
      <Panel title={texts.recoveryTitle}>
        <RecoveryCodes codes={step.codes} proceed={step.proceed} />
      </Panel>
    )
  if (step.kind === 'code')
    return (
      <Panel title={step.factor ? texts.factorTitle : texts.title}>
        <CodeForm
          proof={step.proof}
          factor={step.factor}
          back={() => setStep({ kind: 'password' })}
          late={() => setStep({ kind: 'password', late: step.factor ? 'factor' : 'code' })}
          showCodes={(codes, proceed) => setStep({ kind: 'recovery', codes, proceed })}
        />
      </Panel>
    )
  return (
    <Panel title={texts.title}>
      {step.late && (
        <p className={styles.problem} role="alert">
          {texts.late[step.late]}
        </p>
      )}
      {reason && !step.late && (
        <p className={styles.hint} role="status">
          {texts.reasons[reason]}
        </p>
      )}
      {reason === 'unreachable' && (
        <button type="button" className={buttons.plain} onClick={() => void session.resume()}>
          {texts.retry}
        </button>
      )}
      {reason === 'not_logged_out' && (
        <button type="button" className={buttons.plain} onClick={() => void session.logOut()}>
          {texts.logOutAgain}
        </button>
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
