import { AuthenticationError } from '@cobro/sdk/admin'
import { useState } from 'react'
import { cobro, queries } from '../../api/cobro.ts'
import { withProof } from '../../api/with-proof.ts'
import { ConfirmedForm } from '../../parts/confirmed-form.tsx'
import { Field } from '../../parts/field.tsx'
import { factorTexts } from '../../text/factor-texts.ts'
import { useTexts } from '../../text/locale.tsx'

/** Removes the user's second factor, for a code of it. */
export function RemoveFactorForm({ close }: { close: () => void }) {
  const texts = useTexts(factorTexts)
  const [code, setCode] = useState('')
  const work = async () => {
    const removed = await withProof(() => cobro.factor.remove({ code: code.trim() }))
    // The user has logged in again, which may have used the code.
    if (!removed) return setCode('')
    close()
    await queries.invalidateQueries({ queryKey: ['factor'] })
  }
  const failed = (error: unknown) => (error instanceof AuthenticationError ? texts.wrongCode : texts.failed)
  return (
    <ConfirmedForm texts={{ title: texts.title, submit: texts.remove, failed }} work={work} close={close}>
      {() => (
        <>
          <p>{texts.removeText}</p>
          <Field
            label={texts.code}
            autoComplete="one-time-code"
            isRequired
            autoFocus
            maxLength={32}
            value={code}
            onChange={setCode}
          />
        </>
      )}
    </ConfirmedForm>
  )
}
