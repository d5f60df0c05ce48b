import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button, Form } from 'react-aria-components'
import { cobroOf, queries } from '../../api/cobro.ts'
import { useConfirmed } from '../../api/use-confirmed.ts'
import buttons from '../../parts/buttons.module.css'
import { Field } from '../../parts/field.tsx'
import { ProblemText } from '../../parts/problem-text.tsx'
import { useFocusBack } from '../../parts/use-focus-back.ts'
import { useTexts } from '../../text/locale.tsx'
import { sandboxTexts } from '../../text/sandbox-texts.ts'
import styles from './sandbox.module.css'

/** Pays a voucher as if the payer had gone to the store. */
export function VoucherForm({ scope }: { scope: string }) {
  const texts = useTexts(sandboxTexts)
  const [reference, setReference] = useState('')
  const [paid, setPaid] = useState<string>()
  const plain = reference.trim()
  const { run, error, isRunning } = useConfirmed(async () => {
    setPaid(undefined)
    // Without a key of its own: a voucher can be paid once.
    await cobroOf(scope).sandbox.payVoucher(plain)
    setPaid(plain)
    setReference('')
    void queries.invalidateQueries({ queryKey: [scope, 'payments'] })
  })
  const button = useFocusBack(isRunning)
  return (
    <Form
      className={styles.form}
      onSubmit={event => {
        event.preventDefault()
        void run()
      }}
    >
      <Field
        label={texts.reference}
        placeholder={texts.referenceHint}
        isRequired
        isDisabled={isRunning}
        pattern="\s*[\w\-]{1,64}\s*"
        maxLength={80}
        value={reference}
        onChange={setReference}
      />
      <Button ref={button} type="submit" className={buttons.primary} isDisabled={isRunning}>
        {plain ? texts.payReference(plain) : texts.pay}
      </Button>
      {error !== undefined && (
        <p className={styles.problem} role="alert">
          <ProblemText failed={texts.failed} error={error} />
        </p>
      )}
      <p role="status">{paid !== undefined && <Paid reference={paid} scope={scope} />}</p>
    </Form>
  )
}

function Paid({ reference, scope }: { reference: string; scope: string }) {
  const texts = useTexts(sandboxTexts)
  return (
    <>
      {texts.paid(reference)}{' '}
      <Link to="/$scope/payments" params={{ scope }} search={{ payment_method: 'cash' }}>
        {texts.toPayments}
      </Link>
    </>
  )
}
