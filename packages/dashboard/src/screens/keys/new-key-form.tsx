import { useState } from 'react'
import { changing, cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { rangesOf } from '../../input/address-ranges.ts'
import { givenBy } from '../../input/key-scopes.ts'
import { ConfirmedForm } from '../../parts/confirmed-form.tsx'
import { Field } from '../../parts/field.tsx'
import { ShownOnce } from '../../parts/shown-once.tsx'
import { keysTexts } from '../../text/keys-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { firstAccess, ScopeChoice, scopesOf } from './scope-choice.tsx'

interface NewKeyFormProps {
  scope: string
  close: () => void
}

/** Creates a key and shows it once. */
export function NewKeyForm({ scope, close }: NewKeyFormProps) {
  const texts = useTexts(keysTexts)
  const given = givenBy(useMe().may)
  const [name, setName] = useState('')
  const [access, setAccess] = useState(() => firstAccess(given))
  const [addresses, setAddresses] = useState('')
  const [key, setKey] = useState<string>()
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const work = async () => {
    const input = { name: name.trim(), scopes: scopesOf(access, given), allowed_ips: rangesOf(addresses) }
    const { key } = await changing([[scope, 'keys']], () => cobroOf(scope).apiKeys.create(input, { idempotencyKey }))
    setKey(key)
  }
  if (key !== undefined) {
    const once = { title: texts.key, hint: texts.shownOnce, stored: texts.stored }
    return <ShownOnce texts={once} value={key} close={close} />
  }
  return (
    <ConfirmedForm
      texts={{ title: texts.newKey, submit: texts.create, failed: texts.failed }}
      work={work}
      close={close}
    >
      {isUnclear => (
        <>
          <Field
            label={texts.name}
            isRequired
            isDisabled={isUnclear}
            autoFocus
            maxLength={100}
            value={name}
            onChange={setName}
          />
          <ScopeChoice given={given} access={access} isDisabled={isUnclear} choose={setAccess} />
          <Field
            label={texts.addressesOptional}
            placeholder={texts.addressesHint}
            isDisabled={isUnclear}
            value={addresses}
            onChange={setAddresses}
          />
        </>
      )}
    </ConfirmedForm>
  )
}
