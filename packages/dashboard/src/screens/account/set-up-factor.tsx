import type { NewSecondFactor } from '@cobro/sdk/admin'
import { useState } from 'react'
import { cobro, queries } from '../../api/cobro.ts'
import { problemOf } from '../../api/problems.ts'
import { ActionForm } from '../../parts/action-form.tsx'
import { ConfirmedForm } from '../../parts/confirmed-form.tsx'
import { FactorQr } from '../../parts/factor-qr.tsx'
import { Field } from '../../parts/field.tsx'
import { ShownOnce } from '../../parts/shown-once.tsx'
import { factorTexts } from '../../text/factor-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { loginTexts } from '../../text/login-texts.ts'

interface SetUpFactorProps {
  close: () => void
}

/** Sets up a second factor: a secret for the app, a code of the app, and the recovery codes, which are shown once. */
export function SetUpFactor({ close }: SetUpFactorProps) {
  const texts = useTexts(factorTexts)
  const login = useTexts(loginTexts)
  const [factor, setFactor] = useState<NewSecondFactor>()
  const [codes, setCodes] = useState<string[]>()
  if (codes) {
    const stored = () => {
      close()
      // Only now: the panel that shows this dialog is then another one.
      void queries.invalidateQueries({ queryKey: ['factor'] })
    }
    const once = { title: login.recoveryTitle, hint: login.recoveryHint, stored: login.stored }
    return <ShownOnce texts={once} value={codes.join('\n')} close={stored} />
  }
  if (factor) return <ConfirmFactorForm factor={factor} confirmed={setCodes} close={close} />
  return (
    <ActionForm
      texts={{ title: texts.title, text: texts.setUpText, submit: texts.proceed, failed: texts.failed }}
      work={async () => setFactor(await cobro.factor.setUp())}
      close={close}
      isHarmless
    />
  )
}

interface ConfirmFactorProps extends SetUpFactorProps {
  factor: NewSecondFactor
  confirmed: (recoveryCodes: string[]) => void
}

function ConfirmFactorForm({ factor, confirmed, close }: ConfirmFactorProps) {
  const texts = useTexts(factorTexts)
  const [code, setCode] = useState('')
  const work = async () => {
    confirmed((await cobro.factor.confirm({ code: code.replace(/\s/g, '') })).recovery_codes)
  }
  const failed = (error: unknown) => (problemOf(error).kind === 'invalid' ? texts.wrongCode : texts.failed)
  return (
    <ConfirmedForm texts={{ title: texts.title, submit: texts.confirm, failed }} work={work} close={close}>
      {() => (
        <>
          <FactorQr factor={factor} />
          <Field
            label={texts.code}
            inputMode="numeric"
            autoComplete="one-time-code"
            isRequired
            autoFocus
            maxLength={10}
            value={code}
            onChange={setCode}
          />
        </>
      )}
    </ConfirmedForm>
  )
}
